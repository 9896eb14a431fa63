import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { idOfOwner, isOwnerGone, ownerHere } from "./process-start.ts";

const OWN = ownerHere("id");
const [, MACHINE = "", , START = ""] = /@(.+)\/(.+)\/(.+)$/u.exec(OWN) ?? [];

function owner(pid: number, start: string, machine: string = MACHINE): string {
  return `id@${machine}/${pid}/${start}`;
}

function statOf(pid: number | string): { state: string; parent: number; start: string } {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", parent: Number(fields[1]), start: fields[19] ?? "" };
}

describe("the owner of a lease", () => {
  test("is an id and this process, and shown as the id", () => {
    expect(OWN).toMatch(/^id@[0-9a-f]{32}\/\d+\/\d+$/u);
    expect(OWN).toBe(owner(process.pid, statOf("self").start));
    expect([idOfOwner(OWN), idOfOwner("another")]).toEqual(["id", "another"]);
  });

  test("is gone when its process ended, or when another process has its number", async () => {
    const child = spawn("sleep", ["1000"]);
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const named = owner(pid, statOf(pid).start);
    expect([isOwnerGone(named), isOwnerGone(owner(pid, START)), isOwnerGone(owner(pid, "1"))]).toEqual([
      false,
      true,
      true,
    ]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isOwnerGone(named)).toBe(true);
  });

  test("a process counts as gone when it is a zombie, and not when it is stopped", async () => {
    const parent = spawn("sh", ["-c", "sleep 1000 & exec sleep 1000"]);
    await expect.poll(() => childrenOf(parent.pid ?? 0)).toHaveLength(1);
    const [pid = 0] = childrenOf(parent.pid ?? 0);
    const named = owner(pid, statOf(pid).start);
    process.kill(pid, "SIGSTOP");
    await expect.poll(() => statOf(pid).state).toBe("T");
    expect(isOwnerGone(named)).toBe(false);
    // A shell would reap its child when the child ends; `sleep` does not.
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
    process.kill(pid, "SIGKILL");
    await expect.poll(() => statOf(pid).state).toBe("Z");
    expect(isOwnerGone(named)).toBe(true);
    parent.kill("SIGKILL");
  });

  test("is not judged on another machine, or if it names no process", () => {
    const other = "0".repeat(32);
    const owners = [OWN, owner(process.pid, "1", other), owner(4_194_305, "1", other), "id", "", `${OWN}/1`];
    expect(owners.filter(isOwnerGone)).toEqual([]);
    expect(isOwnerGone(owner(4_194_305, "1"))).toBe(true);
  });
});

function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | null {
  try {
    return statOf(pid).parent;
  } catch {
    // The process has ended in the meantime.
    return null;
  }
}
