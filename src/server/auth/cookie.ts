/** The cookie of the server's pages. */

/** A browser sends cookies to every port of a host: with one name, two servers would sign out each other's pages. */
function nameFor(url: URL): string {
  return url.port === "" ? "continuo-page" : `continuo-page-${url.port}`;
}

export function cookieOf(request: Request): string | undefined {
  return cookieIn(request.headers.get("cookie") ?? "", new URL(request.url));
}

/** @param url under which the server was called: its port is part of the cookie's name */
export function cookieIn(header: string, url: URL): string | undefined {
  const expected = nameFor(url);
  for (const part of header.split(";")) {
    const [name, value] = part.trim().split("=", 2);
    if (name === expected && value !== undefined && value !== "") return value;
  }
  return undefined;
}

/** Only this host can set it, and pages of other sites never send it. */
export function setCookie(
  secret: string,
  { maxAgeSeconds, url }: { maxAgeSeconds: number; url: URL },
): string {
  const secure = url.protocol === "https:" ? "; Secure" : "";
  return `${nameFor(url)}=${secret}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
