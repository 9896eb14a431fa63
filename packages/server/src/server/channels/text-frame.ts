/** A message of text as the bytes that a server sends. RFC 6455 (5.2): in one fragment, not masked. */

export function toTextFrame(text: string): Buffer {
  const body = Buffer.from(text);
  return Buffer.concat([headOf(body.length), body]);
}

const FINAL_TEXT = 0x81;

function headOf(sizeBytes: number): Buffer {
  if (sizeBytes < 126) return Buffer.of(FINAL_TEXT, sizeBytes);
  if (sizeBytes < 65_536) return Buffer.of(FINAL_TEXT, 126, sizeBytes >> 8, sizeBytes & 0xff);
  const head = Buffer.alloc(10);
  head.set([FINAL_TEXT, 127]);
  head.writeUIntBE(sizeBytes, 4, 6);
  return head;
}
