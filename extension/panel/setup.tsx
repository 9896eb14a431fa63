/** The server and its token, entered once. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isServerUrl, type Settings } from "../messages/messages.ts";
import { saveSettings } from "./settings.ts";

export function Setup({ settings }: { readonly settings: Settings }): JSX.Element {
  const [serverUrl, setServerUrl] = useState(settings.serverUrl);
  const [token, setToken] = useState(settings.token);
  const isComplete = isServerUrl(serverUrl) && token.trim() !== "";
  const save = (event: Event): void => {
    event.preventDefault();
    if (isComplete) void saveSettings({ ...settings, serverUrl, token: token.trim() });
  };
  return (
    <form onSubmit={save}>
      <h1>Connect to your server</h1>
      <label>
        Server
        <input value={serverUrl} onInput={({ currentTarget }) => setServerUrl(currentTarget.value)} />
      </label>
      <label>
        Token
        <input
          type="password"
          autocomplete="off"
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={!isComplete}>
        Connect
      </button>
    </form>
  );
}
