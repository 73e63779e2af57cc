import { describe, expect, it } from "bun:test";
import { type SpawnHost, spawnPlan } from "./agent-process.ts";

const NPM_SHIM = `@ECHO off\r\nIF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n)\r\n"%_prog%"  "%dp0%\\node_modules\\acme\\dist\\index.js" %*\r\n`;
const ENV = { Path: "C:\\tools;C:\\npm", PATHEXT: ".COM;.EXE;.BAT;.CMD", ComSpec: "C:\\Windows\\cmd.exe" };

function machine(files: Readonly<Record<string, string>>): SpawnHost {
  return { platform: "win32", isFile: (path) => path in files, read: (path) => files[path] ?? "" };
}

describe("spawnPlan", () => {
  it("quirk: on Windows the script behind an npm shim is started with Node, without a shell", () => {
    const host = machine({ "C:\\npm\\acme.cmd": NPM_SHIM, "C:\\tools\\node.exe": "" });
    expect(spawnPlan(["acme", "--acp", "a b"], ENV, host)).toEqual({
      command: ["C:\\tools\\node.exe", "C:\\npm\\node_modules\\acme\\dist\\index.js", "--acp", "a b"],
      verbatim: false,
    });
    const withNode = machine({ "C:\\npm\\acme.cmd": NPM_SHIM, "C:\\npm\\node.exe": "" });
    expect(spawnPlan(["acme"], ENV, withNode).command[0]).toBe("C:\\npm\\node.exe");
    expect(spawnPlan(["C:\\npm\\acme"], {}, machine({ "C:\\npm\\acme.cmd": NPM_SHIM })).command).toEqual([
      "node",
      "C:\\npm\\node_modules\\acme\\dist\\index.js",
    ]);
  });

  it("quirk: on Windows any other .cmd or .bat is run by cmd.exe, every word quoted for it", () => {
    const host = machine({ "C:\\tools\\acme.bat": "@echo off\r\nacme-core %*" });
    expect(spawnPlan(["acme", 'say "hi" & del %PATH% > x', "C:\\dir\\"], ENV, host)).toEqual({
      command: [
        "C:\\Windows\\cmd.exe",
        "/d",
        "/s",
        "/c",
        '"^"C:\\tools\\acme.bat^" ^"say^ \\^"hi\\^"^ ^&^ del^ ^%PATH^%^ ^>^ x^" ^"C:\\dir\\\\^""',
      ],
      verbatim: true,
    });
  });

  it("on Windows a program is what PATH and PATHEXT say, in their order, and a missing one stays as it is named", () => {
    const host = machine({ "C:\\tools\\acme.exe": "", "C:\\tools\\acme.cmd": NPM_SHIM, "C:\\npm\\acme.exe": "" });
    expect(spawnPlan(["acme", "x"], ENV, host)).toEqual({ command: ["C:\\tools\\acme.exe", "x"], verbatim: false });
    expect(spawnPlan(["acme.exe"], ENV, host).command).toEqual(["C:\\tools\\acme.exe"]);
    expect(spawnPlan(["other", "x"], ENV, host)).toEqual({ command: ["other", "x"], verbatim: false });
    expect(spawnPlan(["acme"], {}, host).command).toEqual(["acme"]);
  });

  it("elsewhere a command is what it says", () => {
    const host = { ...machine({}), platform: "linux" } as const;
    expect(spawnPlan(["acme.cmd", "a b"], { PATH: "/bin" }, host)).toEqual({
      command: ["acme.cmd", "a b"],
      verbatim: false,
    });
  });
});
