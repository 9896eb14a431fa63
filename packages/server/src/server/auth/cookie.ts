/** The cookie of the server's pages, only for hosts with TLS: on other hosts, a browser sends cookies to every port. */

/** The prefix makes the browser refuse a cookie that another host, or a page without TLS, has set. */
function nameFor(url: URL): string {
  return url.port === "" ? "__Host-continuo-page" : `__Host-continuo-page-${url.port}`;
}

export function cookieOf(request: Request): string | undefined {
  return cookieIn(request.headers.get("cookie") ?? "", new URL(request.url));
}

/**
 * @param url the URL under which the server was called: its port is part of the cookie's name, so that two servers have
 * different cookies
 */
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
  return `${nameFor(url)}=${secret}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; Secure; SameSite=Strict`;
}
