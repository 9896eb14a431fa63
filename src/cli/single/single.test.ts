import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { packFiles, unpackFiles } from "./archive.ts";
import { ownCommand, shownCommand } from "./index.ts";
import { isProgramOfOurs, KEPT_BUILDS, unpackedFolder } from "./unpack.ts";

const FILES = [
  { path: "package.json", isProgram: false, bytes: Buffer.from('{"name":"continuo"}') },
  { path: "dist/cli/main.js", isProgram: true, bytes: Buffer.from("process.exit(0);") },
  { path: "examples/.gemini/empty.json", isProgram: false, bytes: Buffer.alloc(0) },
];

describe("the command that agents and timers start later", () => {
  test("consists of this Node and the absolute path of the program", () => {
    expect(ownCommand({ cwd: "/home/ann" }, "bin/continuo.js")).toEqual([
      process.execPath,
      "/home/ann/bin/continuo.js",
    ]);
  });

  test("does not exist under npx, which later removes its folder", () => {
    const script = "/home/ann/.npm/_npx/3f1/node_modules/.bin/continuo";
    expect(() => ownCommand({ cwd: "/" }, script)).toThrow("npx keeps Continuo only for a while");
    expect(shownCommand({ cwd: "/" }, script)).toEqual(["continuo"]);
  });

  test("is shown as a person would type it", () => {
    const place = { cwd: "/home/ann" };
    expect(shownCommand(place, "bin/continuo.js")).toEqual(ownCommand(place, "bin/continuo.js"));
  });
});

describe("the archive", () => {
  test("returns the packed files", () => {
    expect(unpackFiles(packFiles(FILES))).toEqual(FILES);
  });

  test.each(["../.bashrc", "/etc/passwd", "a/../../b", "a//b", "a/./b", "a/", "", ".."])(
    "does not write to %j",
    (path) => {
      const archive = packFiles([{ path, isProgram: false, bytes: Buffer.alloc(1) }]);
      expect(() => unpackFiles(archive)).toThrow("are damaged: they name");
    },
  );

  test("is reported as damaged if its sizes do not fit", () => {
    const whole = zstdDecompressSync(packFiles(FILES));
    const longer = zstdCompressSync(Buffer.concat([whole, Buffer.from("more")]));
    expect(() => unpackFiles(longer)).toThrow("are damaged: their sizes do not fit");
  });

  test("is reported as damaged if it was cut", () => {
    expect(() => unpackFiles(packFiles(FILES).subarray(0, 40))).toThrow("are damaged");
  });
});

describe("the folder of the files", () => {
  let home: string;
  beforeEach(() => {
    home = join(scratchFolder("single"), "home");
  });

  const cleanUps: (() => void)[] = [];
  let unpacked = 0;
  const start = (id: string): string =>
    unpackedFolder({
      home,
      id,
      archive: () => {
        unpacked++;
        return packFiles(FILES);
      },
      onExit: (cleanUp) => cleanUps.push(cleanUp),
    });

  test("is written at the first start, private, and used by every later start", () => {
    const before = unpacked;
    const folder = start("1");
    expect(start("1")).toBe(folder);
    expect(unpacked).toBe(before + 1);
    expect(readFileSync(join(folder, "package.json"), "utf8")).toBe('{"name":"continuo"}');
    const modes = [".", "package.json", "dist/cli/main.js"].map(
      (path) => statSync(join(folder, path)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o700]);
  });

  test("is not the incomplete one of a start that was killed", () => {
    mkdirSync(join(home, `app/1.new-${process.pid}`), { recursive: true });
    writeFileSync(join(home, `app/1.new-${process.pid}/package.json`), "{");
    expect(existsSync(join(start("1"), "dist/cli/main.js"))).toBe(true);
    expect(readdirSync(join(home, "app"))).toEqual(["1"]);
  });

  test("is not one that another user can write", () => {
    const folder = start("1");
    chmodSync(folder, 0o777);
    const other = start("1");
    expect(other).not.toBe(folder);
    expect(readFileSync(join(other, "dist/cli/main.js"), "utf8")).toBe("process.exit(0);");
  });

  test("is not a link that leads to another place", () => {
    const elsewhere = join(home, "elsewhere");
    mkdirSync(join(home, "app"), { recursive: true });
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, join(home, "app/1"));
    expect(existsSync(join(start("1"), "dist/cli/main.js"))).toBe(true);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test("is removed after a few later builds, as are folders of killed starts", () => {
    for (let build = 1; build <= KEPT_BUILDS + 2; build++) utimesSync(start(String(build)), build, build);
    mkdirSync(join(home, "app/3.new-99999"));
    utimesSync(join(home, "app/3.new-99999"), 0, 0);
    start("9");
    expect(readdirSync(join(home, "app"))).toEqual(["3", "4", "9"]);
  });

  test("is a separate folder for this process if the home cannot be written", () => {
    writeFileSync(home, "a file");
    const folder = start("1");
    expect(existsSync(join(folder, "dist/cli/main.js"))).toBe(true);
    cleanUps.at(-1)?.();
    expect(existsSync(folder)).toBe(false);
  });
});

describe("the programs that the executable runs", () => {
  const place = scratchFolder("programs");
  const build = (folder: string): string => {
    mkdirSync(join(folder, "dist/cli"), { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    writeFileSync(join(folder, "dist/cli/worker.js"), "");
    return join(folder, "dist/cli/worker.js");
  };
  const home = join(place, "home/.continuo");
  const scratch = join(place, "scratch");

  test.each([
    ["in this home", () => build(join(home, "app/0.2.0-abc")), true],
    ["in the folder that the process before it made", () => build(scratch), true],
    ["in a project", () => build(join(place, "project")), false],
    ["that is reached through a link in the home", () => linked(build(join(place, "elsewhere"))), false],
    ["in a folder that others can write to", () => writable(build(join(home, "app/0.2.0-open"))), false],
    ["below the folder of a program", () => build(join(home, "app/0.2.0-abc/node_modules/other")), false],
    ["whose path leaves the folder again", () => `${home}/app/../../../project/dist/cli/worker.js`, false],
    ["with a relative path", () => "app/0.2.0-abc/dist/cli/worker.js", false],
    ["with another name", () => build(join(home, "app/0.2.0-abc")).replace("worker.js", "worker.cjs"), false],
  ])("a program %s", (_, path, isOurs) => {
    expect(isProgramOfOurs(path(), { home, scratch })).toBe(isOurs);
  });

  function linked(path: string): string {
    const link = join(home, "app/0.2.0-link");
    symlinkSync(join(path, "../../.."), link);
    return join(link, "dist/cli/worker.js");
  }

  function writable(path: string): string {
    chmodSync(join(path, "../../.."), 0o777);
    return path;
  }
});
