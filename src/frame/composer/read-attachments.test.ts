import { describe, expect, test } from "bun:test";
import { ATTACHMENT_BYTES_MAX, ATTACHMENTS_MAX, MESSAGE_ATTACHMENT_BYTES_MAX } from "../../protocol/limits.ts";
import { judgeFile } from "./read-attachments.ts";

const ALL = { image: true, audio: true, embeddedContext: true, steering: false };
const NONE = { image: false, audio: false, embeddedContext: false, steering: false };
const around = (abilities: typeof ALL | undefined = ALL) => ({ abilities, agentName: "Codex", count: 0, bytes: 0 });
const file = (type: string, size = 10) => ({ name: "a.file", type, size });
const words = (given: ReturnType<typeof judgeFile>) => (given.as === "refused" ? given.words : given.as);

describe("[X-7] how a file is sent to the agent", () => {
  test("images, audio and text, if the agent accepts them or has not stated it", () => {
    for (const abilities of [ALL, undefined])
      expect(
        ["image/png", "audio/wav", "text/plain", "", "image/svg+xml"].map(
          (type) => judgeFile(file(type), around(abilities)).as,
        ),
      ).toEqual(["image", "audio", "text", "text", "text"]);
  });

  test("files that the agent does not accept are refused by name, with advice", () => {
    expect(words(judgeFile(file("image/png"), around(NONE)))).toContain("Codex does not accept images");
    expect(words(judgeFile(file("audio/wav"), around(NONE)))).toContain("Codex does not accept audio");
    expect(words(judgeFile(file("text/plain"), around(NONE)))).toContain("Type @");
    expect(words(judgeFile(file("image/bmp"), around()))).toContain("PNG");
    expect(words(judgeFile(file("video/mp4"), around()))).toContain("unsupported format");
  });

  test("every limit is named in its error", () => {
    expect(words(judgeFile(file("image/png", ATTACHMENT_BYTES_MAX), around()))).toBe("image");
    expect(words(judgeFile(file("image/png", ATTACHMENT_BYTES_MAX + 1), around()))).toContain("the limit is 5 MB");
    const full = { ...around(), bytes: MESSAGE_ATTACHMENT_BYTES_MAX };
    expect(words(judgeFile(file("image/png", 1), full))).toContain("can total 8 MB");
    expect(words(judgeFile(file("image/png"), { ...around(), count: ATTACHMENTS_MAX }))).toContain("20 attachments");
  });
});
