import { describe, expect, it } from "bun:test";
import { codeLanguageId, codeLanguageLabel } from "../../src/presentation/code-languages.ts";
import { tokenizeCode } from "../../src/presentation/tokenize-code.ts";

const NAMES =
  "bash console c cpp csharp css scss diff dockerfile go graphql toml java js json kotlin lua make md php py rb rs sql swift ts html yaml";

describe("tokenizeCode", () => {
  it("gives runs of one colour whose texts are the code", () => {
    expect(tokenizeCode('const a = "x"; // y', "typescript")).toEqual([
      { text: "const", className: "hljs-keyword" },
      { text: " a = ", className: "" },
      { text: '"x"', className: "hljs-string" },
      { text: "; ", className: "" },
      { text: "// y", className: "hljs-comment" },
    ]);
  });

  it("keeps markup in the code as text", () => {
    const code = "<script>alert('&lt;')</script>\n";
    const tokens = tokenizeCode(code, "xml");
    expect(tokens.map(({ text }) => text).join("")).toBe(code);
    expect(tokens.length).toBeGreaterThan(3);
  });

  it("loses no character, in any supported language", () => {
    const code = '# a <b> "c" \'d\' `e` $f /* g */ // h\n-- i\nfunction j(k) { return 1 + 0x2; }\n\tl: [m, "n\\n"]\n';
    for (const name of NAMES.split(" ")) {
      const language = codeLanguageId(name);
      if (language === null) throw new Error(`${name} has no grammar`);
      expect(
        tokenizeCode(code, language)
          .map(({ text }) => text)
          .join(""),
      ).toBe(code);
    }
  });

  it("leaves a language without a grammar plain", () => {
    expect(codeLanguageId("brainfuck")).toBeNull();
    expect(codeLanguageLabel("brainfuck")).toBe("brainfuck");
    expect(tokenizeCode("+-", "brainfuck")).toEqual([{ text: "+-", className: "" }]);
  });
});
