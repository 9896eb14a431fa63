/** A WebSocket of tests: the test is the server at its other end. */

export class FakeSocket extends EventTarget {
  /** All sockets that were opened, the newest last. */
  static readonly opened: FakeSocket[] = [];

  readonly url: string;
  readonly sent: Readonly<Record<string, unknown>>[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { readonly data: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  onclose: ((event: { readonly code: number }) => void) | null = null;

  constructor(url: string) {
    super();
    this.url = url;
    FakeSocket.opened.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(code = 1000): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.({ code });
    this.dispatchEvent(new Event("close"));
  }

  /** The server accepts the connection. */
  accept(): void {
    this.readyState = 1;
    this.onopen?.();
    this.dispatchEvent(new Event("open"));
  }

  /** The server sends a frame. */
  say(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  /** The frames of a type that the client sent, in their order. */
  framesOf(type: string): readonly Readonly<Record<string, unknown>>[] {
    return this.sent.filter((frame) => frame.type === type);
  }
}
