/** The cookie of a page of the server. */

/** Only this host sets it, and a page of another site never sends it. */
const NAME = "continuo-page";

export function cookieOf(request: Request): string | undefined {
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const [name, value] = part.trim().split("=", 2);
    if (name === NAME && value !== undefined && value !== "") return value;
  }
  return undefined;
}

export function setCookie(
  secret: string,
  { maxAgeSeconds, url }: { maxAgeSeconds: number; url: URL },
): string {
  const secure = url.protocol === "https:" ? "; Secure" : "";
  return `${NAME}=${secret}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
