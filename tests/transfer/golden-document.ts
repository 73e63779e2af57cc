import { join } from "node:path";

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

/** A document without what is different in every run: ids are numbered, times and long data are named. */
export function steadyText(text: string, project: string): string {
  const ids = new Map<string, number>();
  return text
    .replaceAll(project, "{{project}}")
    .replace(UUID, (id) => {
      ids.set(id, ids.get(id) ?? ids.size + 1);
      return `{{id ${ids.get(id)}}}`;
    })
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "{{time}}")
    .replace(/[A-Za-z0-9+/]{200,}={0,2}/g, "{{data}}")
    .replace(/ <span class="took">[^<]*<\/span>/g, "")
    .replace(/"waitedMs":\d+/g, '"waitedMs":0')
    .replace(/<style>[^<]*<\/style>/, "<style>{{style}}</style>");
}

export function goldenFile(form: string): string {
  return join(import.meta.dir, "golden", `all.${form}.txt`);
}
