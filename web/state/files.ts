/**
 * Images and files from the server: fetched with the credentials of the page, which neither an image nor a link sends.
 */

import { request, toError } from "./server.ts";

/** Images are loaded when they are this close to the window. */
const MARGIN = "600px";

/** Shows the images below `element` that name a path of the server; the returned function releases them. */
export function showServed(element: Element): () => void {
  const images = [...element.querySelectorAll<HTMLImageElement>("img[data-served]")];
  const done = images.map((image) => showImage(image, image.dataset.served ?? ""));
  return () => {
    for (const forget of done) forget();
  };
}

/** Loads the image when it is near the window. An image that cannot be loaded fires `error`, like any other image. */
export function showImage(image: HTMLImageElement, path: string): () => void {
  const stop = new AbortController();
  let address: string | null = null;
  const load = async (): Promise<void> => {
    try {
      const response = await request(path, { signal: stop.signal });
      if (!response.ok) throw await toError(response);
      const bytes = await response.blob();
      if (stop.signal.aborted) return;
      address = URL.createObjectURL(bytes);
      image.src = address;
    } catch {
      if (!stop.signal.aborted) image.dispatchEvent(new Event("error"));
    }
  };
  const seen = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      void load();
    },
    { rootMargin: MARGIN },
  );
  seen.observe(image);
  return () => {
    seen.disconnect();
    stop.abort();
    if (address !== null) URL.revokeObjectURL(address);
  };
}

const JSON_TYPE = { "content-type": "application/json" };

/** Saves a file of the server under the server's name for it. */
export async function downloadFile(path: string, body?: object): Promise<void> {
  const { blob, name } = await fetchFile(path, body);
  saveFile(blob, name);
}

export async function fetchFile(
  path: string,
  body?: object,
): Promise<{ readonly blob: Blob; readonly name: string }> {
  const response = await request(
    path,
    body && { method: "POST", body: JSON.stringify(body), headers: JSON_TYPE },
  );
  if (!response.ok) throw await toError(response);
  const [, name = "download"] =
    /filename="([^"]+)"/u.exec(response.headers.get("content-disposition") ?? "") ?? [];
  return { blob: await response.blob(), name };
}

/** Saves a file that the page made. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser begins to read the file when it handles the click, so the address is no longer needed after a moment.
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}
