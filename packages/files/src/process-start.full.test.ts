import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ownerHere } from "./process-start.ts";

const OWN = ownerHere("id");
const [, MACHINE = "", , _START = ""] = /@(.+)\/(.+)\/(.+)$/u.exec(OWN) ?? [];

function _owner(pid: number, start: string, machine: string = MACHINE): string {
  return `id@${machine}/${pid}/${start}`;
}

function _statOf(pid: number | string): { state: string; parent: number; start: string } {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", parent: Number(fields[1]), start: fields[19] ?? "" };
}

test("the owner of a lease is only the id if /proc belongs to another namespace", () => {
  const asRoot = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  const script = `import { isOwnerGone, ownerHere } from "./process-start.ts"; console.log(ownerHere("id"), isOwnerGone("${OWN}"));`;
  const command = [process.execPath, "--input-type=module", "-e", script];
  const said = execFileSync("unshare", ["--pid", "--fork", ...asRoot, ...command], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  expect(said).toBe("id false\n");
});
