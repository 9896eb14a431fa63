/** Remembered media types of logs. If one has changed, the store refuses the append. */

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

/** A line break separates the names, because no name contains one. */
function keyOf(workspaceId: string, logId: string): string {
  return `${workspaceId}\n${logId}`;
}
