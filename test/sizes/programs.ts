/** The programs that tests of the full size start, and how each is installed. */

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

interface Program {
  readonly name: string;
  /** The package of Debian and Ubuntu. */
  readonly debian: string;
  /** The formula of Homebrew; a program without one exists on Linux only. */
  readonly homebrew?: string;
}

export const PROGRAMS: readonly Program[] = [
  { name: "tmux", debian: "tmux", homebrew: "tmux" },
  { name: "less", debian: "less", homebrew: "less" },
  { name: "zsh", debian: "zsh", homebrew: "zsh" },
  { name: "fish", debian: "fish", homebrew: "fish" },
  { name: "chromium", debian: "chromium", homebrew: "chromium" },
  { name: "python3", debian: "python3", homebrew: "python" },
  { name: "curl", debian: "curl", homebrew: "curl" },
  { name: "strace", debian: "strace" },
  { name: "unshare", debian: "util-linux" },
  { name: "script", debian: "bsdutils" },
  { name: "ip", debian: "iproute2" },
  { name: "faketime", debian: "faketime" },
  { name: "sshd", debian: "openssh-server" },
];

/** The programs that are not on the search path. */
export function missingPrograms(searchPath: string): readonly Program[] {
  const folders = searchPath.split(delimiter).filter(Boolean);
  return PROGRAMS.filter(({ name }) => !folders.some((folder) => isProgram(join(folder, name))));
}

/** Returns advice about missing programs, ready to be printed. */
export function installationAdvice(missing: readonly Program[], platform: NodeJS.Platform): string {
  const names = missing.map(({ name }) => name).join(", ");
  if (platform !== "darwin") {
    const packages = missing.map(({ debian }) => debian).join(" ");
    return `missing: ${names}\nInstall on Debian or Ubuntu: apt-get install --no-install-recommends ${packages}\n`;
  }
  const formulas = missing.flatMap(({ homebrew }) => homebrew ?? []).join(" ");
  const linuxOnly = missing.filter(({ homebrew }) => homebrew === undefined).map(({ name }) => name);
  const advice = formulas === "" ? "" : `Install with Homebrew: brew install ${formulas}\n`;
  const refusal =
    linuxOnly.length === 0 ? "" : `Only Linux has ${linuxOnly.join(", ")}: run this size there.\n`;
  return `missing: ${names}\n${advice}${refusal}`;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
