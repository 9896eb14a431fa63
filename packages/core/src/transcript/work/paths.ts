/** Paths as calls name them: from the session's folder, or from the root. Pure. */

export interface Paths {
  /** The key, which is the same for each name of a file. */
  keyOf(path: string): string;
  /** Without the folder of the session, if the file is below it. */
  shown(key: string): string;
}

const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\|~)/u;

export function createPaths(cwd: string | null): Paths {
  const folder = cwd === null ? null : plain(cwd.replace(/(?<=.)[\\/]+$/u, ""));
  return {
    keyOf(path) {
      const text = path.trim();
      return ABSOLUTE.test(text) || folder === null ? plain(text) : plain(`${folder}/${text}`);
    },
    shown: (key) => (folder !== null && key.startsWith(`${folder}/`) ? key.slice(folder.length + 1) : key),
  };
}

/** With slashes, and without `.` and `..`. */
function plain(path: string): string {
  const parts: string[] = [];
  const text = /^[A-Za-z]:\\|^\\\\/u.test(path) ? path.replaceAll("\\", "/") : path;
  for (const part of text.split("/")) {
    const last = parts.at(-1);
    if (part === "..") {
      if (last === undefined || last === "..") parts.push(part);
      else if (last !== "" || parts.length > 1) parts.pop();
    } else if (part !== "." && (part !== "" || parts.length === 0)) parts.push(part);
  }
  return parts.join("/");
}
