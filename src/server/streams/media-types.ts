/** Media types of logs that were written to. The store refuses an append by one that is not the log's any more. */

const KEPT = 10_000;

export class MediaTypes {
  readonly #known = new Map<string, string>();

  get(workspaceId: string, logId: string): string | undefined {
    return this.#known.get(keyOf(workspaceId, logId));
  }

  set(workspaceId: string, logId: string, mediaType: string): void {
    if (this.#known.size >= KEPT) this.#known.clear();
    this.#known.set(keyOf(workspaceId, logId), mediaType);
  }

  delete(workspaceId: string, logId: string): void {
    this.#known.delete(keyOf(workspaceId, logId));
  }
}

/** No name has a line break. */
function keyOf(workspaceId: string, logId: string): string {
  return `${workspaceId}\n${logId}`;
}
