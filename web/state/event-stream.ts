/** Server-sent events as text: the parts of a stream as they arrive, and the events in them. Pure. */

export interface StreamEvent {
  readonly name: string;
  readonly data: string;
  /** The last id in the stream; empty before the first one. */
  readonly id: string;
}

export class EventParser {
  /** The time after which a lost stream is opened again, as set by the server. */
  retryMs = 1_000;
  #text = "";
  #name = "";
  #data: string[] = [];
  #id = "";

  /** The id after which a lost stream continues. */
  get lastId(): string {
    return this.#id;
  }

  /** Begins a stream after the end of another one, whose last event may be incomplete. */
  restart(): void {
    this.#text = "";
    this.#name = "";
    this.#data = [];
  }

  push(part: string): readonly StreamEvent[] {
    const lines = (this.#text + part).split(/\r\n|\r|\n/u);
    // The last line may continue, and so may a line break of two characters.
    this.#text = lines.pop() ?? "";
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): readonly StreamEvent[] {
    if (line === "") return this.#end();
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (field === "event") this.#name = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d{1,7}$/u.test(value)) this.retryMs = Number(value);
    return [];
  }

  #end(): readonly StreamEvent[] {
    const [name, data] = [this.#name === "" ? "message" : this.#name, this.#data];
    this.#name = "";
    this.#data = [];
    return data.length === 0 ? [] : [{ name, data: data.join("\n"), id: this.#id }];
  }
}
