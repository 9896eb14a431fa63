/** A file that a browser stores and does not open. */

const MAX_NAME = 200;

/**
 * The headers of a download. If the file were opened as a page of this server, it would have access to the server's
 * cookie. No character of the name can end it, lead to another folder, or make the file hidden.
 */
export function downloadHeaders(name: string): Readonly<Record<string, string>> {
  const plain = name
    .replace(/[^\w.-]/gu, "_")
    .slice(-MAX_NAME)
    .replace(/^[.-]+/u, "_");
  return { "content-disposition": `attachment; filename="${plain}"` };
}
