/**
 * The messages of an agent to its model, as the flat list of `items.ts`. There is one function for each wire protocol.
 */

import { asObject, asObjects, asText, type JsonObject, type RequestRecord } from "../model-servers/index.ts";
import { type Item, itemsOfText, type Picture, parsedOrText, resultText } from "./items.ts";

export function normaliseRequest(request: RequestRecord): readonly Item[] {
  switch (request.protocol) {
    case "anthropic":
      return isCopilot(request)
        ? itemsOfMessages(request.body).map(asCopilot)
        : itemsOfMessages(request.body);
    case "responses":
      return itemsOfInput(request.body);
    case "chat":
      return isOpencode(request) ? itemsOfChat(request.body).flatMap(asOpencode) : itemsOfChat(request.body);
    case "gemini":
      return itemsOfContents(request.body);
    default:
      throw new Error(`no list of items for a request to ${request.path}`);
  }
}

/**
 * Reads Anthropic Messages. Messages of the role `system` are Claude Code's own, with one exception: a message that the
 * person sent while the agent worked is sent in this role, or with the same words around it as a text of the user
 * (2.1.332).
 */
function itemsOfMessages(body: JsonObject): readonly Item[] {
  return asObjects(body.messages).flatMap((message) => {
    const blocks = contentOf(message.content, "text");
    if (message.role === "system") return blocks.flatMap((block) => saidMeanwhile(asText(block.text)));
    const role = message.role === "assistant" ? "assistant" : "user";
    return blocks.flatMap((block) => itemsOfBlock(block, role));
  });
}

/** Copilot calls the model through the vendor's library. */
function isCopilot(request: RequestRecord): boolean {
  return request.headers["user-agent"]?.startsWith("Anthropic/JS") === true;
}

/** Copilot does not mark failed results. */
function asCopilot(item: Item): Item {
  return item.kind === "result" ? { ...item, isError: null } : item;
}

const MEANWHILE = "The user sent a new message while you were working:\n";
const MEANWHILE_END = "\n\nThis is how Claude Code";

function saidMeanwhile(text: string): readonly Item[] {
  if (!text.startsWith(MEANWHILE)) return [];
  const end = text.lastIndexOf(MEANWHILE_END);
  return [
    { kind: "text", role: "user", text: text.slice(MEANWHILE.length, end < 0 ? undefined : end).trimEnd() },
  ];
}

function itemsOfBlock(block: JsonObject, role: "user" | "assistant"): readonly Item[] {
  switch (block.type) {
    case "text": {
      const words = asText(block.text);
      return words.startsWith(MEANWHILE) && role === "user" ? saidMeanwhile(words) : itemsOfText(role, words);
    }
    case "image":
      return [{ kind: "image", role, image: pictureOfSource(asObject(block.source)) }];
    case "thinking":
      return [{ kind: "thinking", text: asText(block.thinking), signature: asText(block.signature) }];
    case "redacted_thinking":
      return [{ kind: "thinking", text: "", signature: asText(block.data) }];
    case "tool_use":
      return [{ kind: "call", id: asText(block.id), name: asText(block.name), args: block.input }];
    case "tool_result": {
      const parts = contentOf(block.content, "text");
      return [
        {
          kind: "result",
          id: asText(block.tool_use_id),
          text: resultText(parts.map((part) => asText(part.text)).join("")),
          images: parts
            .filter((part) => part.type === "image")
            .map((part) => pictureOfSource(asObject(part.source))),
          isError: block.is_error === true,
        },
      ];
    }
    default:
      return [{ kind: "other", value: block }];
  }
}

function pictureOfSource(source: JsonObject): Picture {
  return source.type === "base64"
    ? `data:${asText(source.media_type)};base64,${asText(source.data)}`
    : asText(source.url);
}

/** Reads OpenAI Responses. Messages of the roles `developer` and `system` are Codex's own. */
function itemsOfInput(body: JsonObject): readonly Item[] {
  return asObjects(body.input).flatMap(itemsOfInputItem);
}

function itemsOfInputItem(item: JsonObject): readonly Item[] {
  switch (item.type ?? "message") {
    case "message": {
      if (item.role === "developer" || item.role === "system") return [];
      const role = item.role === "assistant" ? "assistant" : "user";
      return contentOf(item.content, "input_text").flatMap((part): readonly Item[] =>
        part.type === "input_image"
          ? [{ kind: "image", role, image: asText(part.image_url) }]
          : itemsOfText(role, asText(part.text)),
      );
    }
    case "reasoning":
      return [
        {
          kind: "thinking",
          text: asObjects(item.summary)
            .map((part) => asText(part.text))
            .join("\n\n"),
          signature: typeof item.encrypted_content === "string" ? item.encrypted_content : null,
        },
      ];
    case "function_call":
    case "custom_tool_call": {
      const args = parsedOrText(asText(item.arguments ?? item.input));
      return [{ kind: "call", id: asText(item.call_id), name: fullName(item), args }];
    }
    case "tool_search_call":
      return [{ kind: "call", id: asText(item.call_id), name: "tool_search", args: item.arguments }];
    case "tool_search_output":
      return [resultOf(asText(item.call_id), asObjects(item.tools).flatMap(toolLines).join("\n"))];
    case "web_search_call":
      return [
        { kind: "call", id: asText(item.id), name: "web_search", args: item.action },
        resultOf(asText(item.id), ""),
      ];
    case "image_generation_call": {
      const args = { revised_prompt: item.revised_prompt };
      const picture = `data:image/png;base64,${asText(item.result)}`;
      return [
        { kind: "call", id: asText(item.id), name: "image_generation", args },
        resultOf(asText(item.id), "", [picture]),
      ];
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const parts = contentOf(item.output, "input_text");
      if (item.call_id === undefined) return parts.flatMap((part) => itemsOfText("user", asText(part.text)));
      return [
        {
          kind: "result",
          id: asText(item.call_id),
          text: parts.map((part) => asText(part.text)).join(""),
          images: parts.filter((part) => part.type === "input_image").map((part) => asText(part.image_url)),
          isError: null,
        },
      ];
    }
    case "additional_tools":
      return [];
    default:
      return [{ kind: "other", value: item }];
  }
}

function resultOf(id: string, text: string, images: readonly Picture[] = []): Item {
  return { kind: "result", id, text, images, isError: null };
}

/** The name of a tool and the name of its server are in separate fields. */
function fullName({ name, namespace }: JsonObject): string {
  const server = asText(namespace);
  return server.startsWith("mcp__") ? `${server}__${asText(name)}` : asText(name);
}

function toolLines(tool: JsonObject): readonly string[] {
  if (tool.tools === undefined) return [`${fullName(tool)}: ${asText(tool.description)}`];
  return asObjects(tool.tools).flatMap((inner) => toolLines({ ...inner, namespace: tool.name }));
}

/**
 * Reads OpenAI Chat Completions. The pictures of results follow all results, in a message in the person's name; this
 * function moves them back to the last result before them.
 */
function itemsOfChat(body: JsonObject): readonly Item[] {
  const items: Item[] = [];
  for (const message of asObjects(body.messages)) {
    const parts = contentOf(message.content, "text");
    const last = items.at(-1);
    if (message.role === "user" && last?.kind === "result" && asText(parts[0]?.text).startsWith(ATTACHED)) {
      items.splice(-1, 1, { ...last, images: parts.slice(1).map(pictureOfPart) });
    } else items.push(...itemsOfChatMessage(message, parts));
  }
  return items;
}

/**
 * opencode's sessions do not record which field of an answer held the thinking, and opencode sends an empty text with
 * calls that have no text.
 */
function asOpencode(item: Item): readonly Item[] {
  if (item.kind === "text" && item.text === "") return [];
  return [item.kind === "thinking" ? { ...item, signature: null } : item];
}

function isOpencode(request: RequestRecord): boolean {
  return request.headers["user-agent"]?.startsWith("opencode/") === true;
}

const ATTACHED = "Attached image(s) from tool result";
const NO_WORDS = "(see attached image)";

function itemsOfChatMessage(message: JsonObject, parts: readonly JsonObject[]): readonly Item[] {
  if (message.role === "developer" || message.role === "system") return [];
  const text = parts.map((part) => asText(part.text)).join("");
  if (message.role === "tool") {
    const id = asText(message.tool_call_id);
    return [{ kind: "result", id, text: text === NO_WORDS ? "" : text, images: [], isError: null }];
  }
  const role = message.role === "assistant" ? "assistant" : "user";
  const reasoning = asText(message.reasoning_content);
  return [
    ...(reasoning === ""
      ? []
      : [{ kind: "thinking", text: reasoning, signature: "reasoning_content" } as const]),
    ...parts.flatMap((part): readonly Item[] =>
      part.type === "image_url"
        ? [{ kind: "image", role, image: pictureOfPart(part) }]
        : itemsOfText(role, summaryIn(asText(part.text))),
    ),
    ...asObjects(message.tool_calls).map((call): Item => {
      const called = asObject(call.function);
      const args = parsedOrText(asText(called.arguments));
      return { kind: "call", id: asText(call.id), name: asText(called.name), args };
    }),
  ];
}

function pictureOfPart(part: JsonObject): Picture {
  return asText(asObject(part.image_url).url);
}

/** The file holds a bare summary, and pi wraps it into a sentence and tags when it sends it. */
export function summaryIn(text: string): string {
  const [, summary] = SUMMARY.exec(text) ?? [];
  return summary ?? text;
}

const SUMMARY =
  /^The (?:conversation history|following is a summary)[^\n]*\n\n<summary>\n([\s\S]*?)\n?<\/summary>$/;

/**
 * Reads requests to Gemini. A result that Gemini CLI repeats is one result; pictures after a result belong to it.
 * Signatures that Gemini CLI inserts where none exists are not part of the conversation.
 */
function itemsOfContents(body: JsonObject): readonly Item[] {
  const results = new Set<string>();
  return asObjects(body.contents).flatMap((content) => {
    const role = content.role === "model" ? "assistant" : "user";
    return resultsWithPictures(asObjects(content.parts)).flatMap(({ part, pictures }): readonly Item[] => {
      if (part.functionResponse === undefined) return itemsOfPart(part, role);
      const { id, name, response } = asObject(part.functionResponse);
      const { output, error } = asObject(response);
      const text = asText(output ?? error);
      const item: Item = { kind: "result", id: recordedId(name, id), text, images: pictures, isError: null };
      const told = JSON.stringify(item);
      if (results.has(told)) return [];
      results.add(told);
      return [item];
    });
  });
}

interface PartWithPictures {
  readonly part: JsonObject;
  readonly pictures: string[];
}

function resultsWithPictures(parts: readonly JsonObject[]): readonly PartWithPictures[] {
  const grouped: PartWithPictures[] = [];
  for (const part of parts) {
    const last = grouped.at(-1);
    const isPicture = part.inlineData !== undefined;
    if (isPicture && last?.part.functionResponse !== undefined) last.pictures.push(pictureOfInline(part));
    else grouped.push({ part, pictures: [] });
  }
  return grouped;
}

function itemsOfPart(part: JsonObject, role: "user" | "assistant"): readonly Item[] {
  if (part.functionCall !== undefined) {
    const { id, name, args } = asObject(part.functionCall);
    return [{ kind: "call", id: recordedId(name, id), name: asText(name), args }];
  }
  if (part.thought === true) {
    return [{ kind: "thinking", text: asText(part.text), signature: asText(part.thoughtSignature) || null }];
  }
  if (part.inlineData !== undefined) return [{ kind: "image", role, image: pictureOfInline(part) }];
  return typeof part.text === "string" ? itemsOfText(role, part.text) : [{ kind: "other", value: part }];
}

/** Gemini CLI records a call as `NAME__ID` and sends it as `ID`. */
function recordedId(name: unknown, id: unknown): string {
  return `${asText(name)}__${asText(id)}`;
}

function pictureOfInline(part: JsonObject): Picture {
  const { mimeType, data } = asObject(part.inlineData);
  return `data:${asText(mimeType)};base64,${asText(data)}`;
}

/** Content that can also be a single string. */
function contentOf(content: unknown, type: string): readonly JsonObject[] {
  return typeof content === "string" ? [{ type, text: content }] : asObjects(content);
}
