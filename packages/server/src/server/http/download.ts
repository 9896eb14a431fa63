/** A file that a browser stores and does not open. */

const MAX_NAME = 200;

/**
 * As a download: opened as a page of this server, the file would have its cookie. No character of the name can end it, lead
 * to another folder or make a hidden file.
 */
export function downloadHeaders(name: string): Readonly<Record<string, string>> {
  const plain = name
    .replace(/[^\w.-]/gu, "_")
    .slice(-MAX_NAME)
    .replace(/^[.-]+/u, "_");
  return { "content-disposition": `attachment; filename="${plain}"` };
}
