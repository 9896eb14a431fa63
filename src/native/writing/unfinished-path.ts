/** Where a new file is until it is whole. */

export function unfinishedPath(path: string, pid: number): string {
  return `${path}.new-${pid}`;
}
