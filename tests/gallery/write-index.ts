export interface Picture {
  readonly state: string;
  readonly shows: string;
  readonly width: number;
  readonly theme: string;
  readonly file: string;
}

const STYLE = `body{font:15px/1.5 system-ui;margin:2rem;background:#222;color:#eee}h2{margin:2rem 0 .5rem}
.row{display:flex;gap:1rem;overflow-x:auto;align-items:start}figure{margin:0}img{height:340px;border:1px solid #555}
a{color:inherit}figcaption{font-size:12px;color:#bbb}`;

/** One page with all pictures, a row for each state. The words are our own: nothing here needs escaping. */
export function galleryIndex(pictures: readonly Picture[]): string {
  const rows = [...Map.groupBy(pictures, ({ state }) => state)].map(([state, taken]) => {
    const figures = taken.map(
      ({ file, width, theme }) =>
        `<figure><a href="${file}"><img loading="lazy" src="${file}" alt="${state}, ${width} px, ${theme}"></a><figcaption>${width} px, ${theme}</figcaption></figure>`,
    );
    return `<h2 id="${state}">${state}: ${taken[0]?.shows ?? ""}</h2><div class="row">${figures.join("")}</div>`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Gallery</title><style>${STYLE}</style></head><body><h1>Gallery</h1>${rows.join("\n")}</body></html>\n`;
}
