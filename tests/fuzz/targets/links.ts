import { z } from "zod";
import { tokenAt } from "../../../src/frame/composer/completion-popup.tsx";
import { decodeEntities } from "../../../src/ui/markdown/convert-tokens.ts";
import { isInlineImage, resolveLinkTarget } from "../../../src/ui/markdown/link-target.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { someText } from "../engine/mutate-text.ts";

const WORDS =
  'http:¦https:¦mailto:¦javascript:¦JAVASCRIPT:¦data:¦file:¦vbscript:¦blob:¦//¦/¦\\¦@¦example.com¦:80¦?¦#L12¦:12:4¦%¦%6a¦%00¦&#106;¦&colon;¦&Tab;¦a.ts¦C:\\¦..¦ ¦\t¦\n¦(¦[¦"¦image/png;base64,AA¦xn--¦[::1]'.split(
    "¦",
  );
const Input = z.object({ text: z.string(), caret: z.int().min(0) });

/** Addresses an agent gives and mentions a user types: nothing unsafe is ever followed, and places are in the text. */
export const links = fuzzTarget({
  name: "links",
  weight: 110,
  shape: Input,
  make(source) {
    const text = someText(source, WORDS, 8);
    return { text, caret: source.between(0, text.length) };
  },
  check({ text, caret }) {
    for (const href of [text, decodeEntities(text)]) {
      const target = resolveLinkTarget(href);
      if (target.kind === "url") {
        const { protocol } = new URL(target.href, "https://page.example/");
        rule(["http:", "https:", "mailto:"].includes(protocol), "only pages and mail are followed", () => target);
        ruleSame(resolveLinkTarget(target.href), target, "an address that was resolved stays the same");
      }
      if (isInlineImage(href)) rule(/^data:image\/(?!svg)/i.test(href), "an image is a bitmap");
    }
    const place = Math.min(caret, text.length);
    const token = tokenAt(text, place);
    if (token === null) return;
    rule(
      token.from >= 0 && token.from < place + 1 && token.to >= place && token.to <= text.length,
      "a mention is around the cursor",
    );
    ruleSame(text.charAt(token.from), token.kind === "file" ? "@" : "/", "a mention starts with its sign");
    rule(!/\s/.test(token.query), "a mention is one word");
  },
});
