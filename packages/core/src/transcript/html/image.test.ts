import { expect, test } from "vitest";
import { imageToHtml, isDisplayable } from "./image.ts";

const URL = "/v1/machine/sessions/claude%3Aa/messages/m/image?path=content%2F0";

test.each(["png", "jpeg", "gif", "webp", "avif", "bmp"])("bytes of an image/%s are in the page", (kind) => {
  expect(imageToHtml({ type: "image", mimeType: `image/${kind}`, data: "aG\n k=\n" })).toBe(
    `<img alt="image" src="data:image/${kind};base64,aGk=">`,
  );
});

test.each(["image/svg+xml", "image/PNG", "text/html", "png", ""])(
  "images of the kind %j are not shown",
  (mimeType) => {
    expect(imageToHtml({ type: "image", mimeType, data: "aGk=", url: URL }, "served")).toBe("");
    expect(isDisplayable({ type: "image", mimeType, data: "aGk=", url: URL })).toBe(false);
  },
);

test.each(["", "a=b", "aGk===", "<", '"', "data:a"])(
  "the text %j is not shown as the bytes of an image",
  (data) => {
    expect(imageToHtml({ type: "image", mimeType: "image/png", data })).toBe("");
  },
);

test.each([`${URL}&branch=b.1*`, "/v1/machine/a'(1)!?path=b"])(
  "the path %j of a server is shown where it is served",
  (url) => {
    const block = { type: "image", mimeType: "image/png", url } as const;
    const src = url.replaceAll("&", "&amp;").replaceAll("'", "&#39;");
    expect(imageToHtml(block, "served")).toBe(`<img alt="image" data-served="${src}">`);
    expect([imageToHtml(block, "inline"), imageToHtml(block), isDisplayable(block)]).toEqual(["", "", true]);
  },
);

test.each([
  `https://e.example${URL}`,
  `/${URL}`,
  `${URL}#a`,
  `${URL}&branch=`,
  `${URL}&other=b`,
  `${URL}<`,
  "/v1/machine/a",
  "/v1/machine/a?path=",
  "/v1/other/a?path=b",
])("the address %j is not one of a server, so that the bytes are shown instead", (url) => {
  const block = { type: "image", mimeType: "image/png", url } as const;
  expect(imageToHtml(block, "served")).toBe("");
  expect(imageToHtml({ ...block, data: "aGk=" }, "served")).toBe(
    '<img alt="image" src="data:image/png;base64,aGk=">',
  );
});
