import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../../../test/sizes/counts.ts";
import { maskSecrets, sumSecrets } from "./index.ts";
import { VENDOR_SECRETS } from "./vendors.ts";

/** Made here, so that no file of this project holds what looks like a key. */
const ANY = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF";
const HEX = "0123456789abcdef";

function any(length: number): string {
  return ANY.repeat(10).slice(0, length);
}

function hex(length: number): string {
  return HEX.repeat(10).slice(0, length);
}

function upper(length: number): string {
  return any(length).toUpperCase();
}

const JWT = `eyJ${any(20)}.eyJ${any(40)}.${any(43)}`;

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  "Anthropic key": [`sk-ant-api03-${any(93)}AA`, `sk-ant-oat01-${any(80)}-AA`, `sk-ant-admin01-${any(90)}`],
  "OpenRouter key": [`sk-or-v1-${hex(64)}`],
  "OpenAI key": [`sk-proj-${any(70)}_-${any(60)}`, `sk-svcacct-${any(60)}`, `sk-${any(48)}`, `sk-${hex(32)}`],
  "Google API key": [`AIza${any(35)}`, `AQ.${any(48)}`],
  "Google OAuth token": [`ya29.${any(60)}`, `1//${any(60)}`, `GOCSPX-${any(28)}`],
  "xAI key": [`xai-${any(80)}`],
  "Groq key": [`gsk_${any(52)}`],
  "Perplexity key": [`pplx-${any(48)}`],
  "Hugging Face token": [`hf_${any(34)}`],
  "Replicate token": [`r8_${any(37)}`],
  "NVIDIA key": [`nvapi-${any(64)}`],
  "Cerebras key": [`csk-${any(48).toLowerCase()}`],
  "Fireworks key": [`fw_${any(22)}`],
  "LangSmith key": [`lsv2_pt_${hex(32)}_${hex(10)}`],
  "Tavily key": [`tvly-dev-${any(32)}`],
  "ElevenLabs key": [`sk_${hex(48)}`],
  "GitHub token": [
    ...["ghp", "gho", "ghu", "ghr"].map((prefix) => `${prefix}_${any(36)}`),
    `ghs_${any(36)}`,
    `ghs_12345_${JWT}`,
    `github_pat_${any(22)}_${any(59)}`,
  ],
  "GitLab token": [
    `glpat-${any(20)}`,
    `glpat-${any(27)}.01.${any(9)}`,
    `glrt-${any(20)}`,
    `GR1348941${any(20)}`,
  ],
  "Atlassian token": [`ATATT3xFf${any(180)}=ABCDEF12`, `ATBB${any(32)}`],
  "npm token": [`npm_${any(36)}`],
  "PyPI token": [`pypi-AgEIcHlwaS5vcmc${any(120)}`],
  "RubyGems key": [`rubygems_${hex(48)}`],
  "crates.io token": [`cio${any(32)}`],
  "NuGet key": [`oy2${any(43).toLowerCase()}`],
  "Docker token": [`dckr_pat_${any(27)}`],
  "CircleCI token": [`CCIPAT_${any(22)}_${hex(40)}`],
  "Buildkite token": [`bkua_${hex(40)}`],
  "Pulumi token": [`pul-${hex(40)}`],
  "AWS access key": [`AKIA${upper(16)}`, `ASIA${upper(16)}`],
  "Amazon Bedrock key": [`ABSK${any(120)}=`, `bedrock-api-key-${any(120)}`],
  "Azure secret": [`${any(3)}8Q~${any(34)}`, `${any(76)}AZDO${any(4)}`, `${any(52)}JQQJ99${any(26)}`],
  "DigitalOcean token": [`dop_v1_${hex(64)}`, `doo_v1_${hex(64)}`],
  "Heroku token": [`HRKU-${any(60)}`],
  "Netlify token": [`nfp_${any(36)}`],
  "Cloudflare token": [`cfut_${any(48)}`, `cfk_${any(48)}`, `cfat_${any(48)}`],
  "Fly.io token": [`fm2_${any(100)}`, `fo1_${any(43)}`],
  "Vercel token": [`vcp_${any(56)}`],
  "Supabase key": [`sbp_${hex(40)}`, `sb_secret_${any(31)}`],
  "PlanetScale token": [`pscale_tkn_${any(43)}`],
  "Neon key": [`napi_${any(64).toLowerCase()}`],
  "Databricks token": [`dapi${hex(32)}`, `dapi${hex(32)}-2`],
  "Tailscale key": [`tskey-auth-${any(17)}-${any(32)}`],
  "HashiCorp token": [`hvs.${any(90)}`, `hvb.${any(90)}`, `hvr.${any(90)}`, `${any(14)}.atlasv1.${any(67)}`],
  "Doppler token": [`dp.pt.${any(43)}`, `dp.st.dev.${any(43)}`],
  "1Password token": [`ops_eyJ${any(250)}`],
  "age key": [`AGE-SECRET-KEY-1${upper(58)}`],
  "Slack token": [
    `xoxb-123456789012-123456789012-${any(24)}`,
    `xoxe.xoxp-1-${any(60)}`,
    `xapp-1-A0${upper(9)}-12345678-${hex(64)}`,
  ],
  "Discord token": [`MTA${any(21)}.G${any(5)}.${any(38)}`],
  "Telegram token": [`123456789:AA${any(33)}`],
  "Stripe key": [`sk_live_${any(24)}`, `rk_test_${any(90)}`, `whsec_${any(32)}`],
  "Twilio key": [`SK${hex(32)}`],
  "SendGrid key": [`SG.${any(22)}.${any(43)}`],
  "Mailgun key": [`key-${hex(32)}`],
  "Mailchimp key": [`${hex(32)}-us12`],
  "Resend key": [`re_${any(8)}_${any(24)}`],
  "Shopify token": [`shpat_${hex(32)}`],
  "Square token": [`sq0atp-${any(22)}`, `EAAA${any(60)}`],
  "Linear key": [`lin_api_${any(40)}`],
  "Notion token": [`ntn_${any(46)}`, `secret_${any(43)}`],
  "Figma token": [`figd_${any(40)}`],
  "Airtable token": [`pat${any(14)}.${hex(64)}`],
  "Postman key": [`PMAK-${hex(24)}-${hex(34)}`],
  "Grafana token": [`glsa_${any(32)}_${hex(8)}`, `glc_${any(90)}`],
  "Sentry token": [`sntrys_eyJ${any(100)}_${any(43)}`, `sntryu_${hex(64)}`],
  "New Relic key": [`NRAK-${upper(27)}`],
  "Dynatrace token": [`dt0c01.${upper(24)}.${upper(64)}`],
  "PostHog key": [`phx_${any(43)}`],
  "JSON web token": [JWT],
};

const IN_CONTEXT: readonly [string, string, string, string][] = [
  ["Azure key", "DefaultEndpointsProtocol=https;AccountKey=", `${any(86)}==`, ";EndpointSuffix=x"],
  ["Slack webhook", "https://hooks.slack.com/", `services/T${upper(9)}/B${upper(9)}/${any(24)}`, " "],
  ["Discord webhook", "https://discord.com/api/webhooks/", `123456789012345678/${any(68)}`, '"'],
  ["password", "postgres://app:", "hunter2", "@db.example:5432/app"],
  ["authorization", "Authorization: Bearer ", any(30), "\n"],
  ["authorization", '{"authorization": "Basic ', "dXNlcjpwYXNz", '"}'],
  ["secret", "export AWS_SECRET_ACCESS_KEY=", `${any(39)}/`, "\n"],
  ["secret", '{\\"clientSecret\\": \\"', any(32), '\\"}'],
  ["secret", "x-api-key: ", any(32), "' \\"],
  ["secret", "DB_PASSWORD='", "correct-horse-battery-9", "'"],
];

test("every family of vendors has an example here", () => {
  const tested = new Set([...Object.keys(EXAMPLES), ...IN_CONTEXT.map(([family]) => family)]);
  expect(VENDOR_SECRETS.map(({ name }) => name).filter((name) => !tested.has(name))).toEqual([]);
});

describe.each(Object.entries(EXAMPLES))("%s", (family, secrets) => {
  test.each(secrets)("%s is masked at any place in a text", (secret) => {
    for (const [before, after] of [
      ["", ""],
      ["KEY=", "\n"],
      ['{"key":"a\\n', '\\n"}'],
      ["\u001b[31m", "\u001b[0m"],
      ["?key%3D", "&x=1"],
      ["say (", ")."],
    ]) {
      const { value, found } = maskSecrets(`${before}${secret}${after}`);
      expect(value).toBe(`${before}[masked: ${family}]${after}`);
      expect(found).toEqual({ [family]: 1 });
    }
  });
});

test.each(IN_CONTEXT)("%s: only the secret within %j is masked", (family, before, secret, after) => {
  expect(maskSecrets(`${before}${secret}${after}`)).toEqual({
    value: `${before}[masked: ${family}]${after}`,
    found: { [family]: 1 },
  });
});

describe("private keys", () => {
  const body = Array.from({ length: 5 }, () => any(64));
  const lines = ["-----BEGIN RSA PRIVATE KEY-----", ...body, `${any(20)}==`, "-----END RSA PRIVATE KEY-----"];
  const pgp = [
    "-----BEGIN PGP PRIVATE KEY BLOCK-----",
    "Version: 1",
    "",
    ...body,
    "-----END PGP PRIVATE KEY BLOCK-----",
  ];

  test.each<[string, string]>([
    ["as it is", lines.join("\n")],
    ["with CRLF", lines.join("\r\n")],
    ["in JSON text", lines.join("\\n")],
    ["in one line", lines.join(" ")],
    ["of PGP, with a header", pgp.join("\n")],
    [
      "with a password",
      [lines[0], "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,12", "", ...lines.slice(1)].join("\n"),
    ],
    ["cut off", lines.slice(0, 4).join("\n")],
    [
      "with numbers of lines",
      lines.map((line, at) => (at === 0 ? line : `${String(at).padStart(6)}→${line}`)).join("\n"),
    ],
    ["in a diff", lines.map((line, at) => (at === 0 ? line : `+${line}`)).join("\n")],
  ])("%s", (_, text) => {
    expect(maskSecrets(`before\n${text}`).value).toBe("before\n[masked: private key]");
  });

  test("what is only named is no key", () => {
    const text = 'if (text.includes("-----BEGIN PRIVATE KEY-----")) return "key";';
    expect(maskSecrets(text)).toEqual({ value: text, found: {} });
  });
});

test.each([
  "task-sk-learn is a risk-free name, sk-short",
  "const token = await getToken(request);",
  'API_KEY="$OPENAI_API_KEY" TOKEN=<your-token-here-1>',
  "password: process.env.DATABASE_PASSWORD_2",
  "Authorization: Bearer process.env.TOKEN_1",
  "Authorization: Bearer your-token-here-1",
  "token: abcdefghijklmnopqrstuvwxyz",
  "token: 12345678901234567890",
  "secret: a234567890bcdef",
  "password=https://example.test/reset/12345678",
  "SECRET_FILE=/run/secrets/database_password_1",
  "postgres://user:$PASSWORD@host/db http://localhost:3000/a@b git@github.com:a/b.git",
  "max_tokens: 4096, total_tokens: 123456789012345678",
  "tokenizer: cl100k_base_2024_long_name",
  "commit 0123456789abcdef0123456789abcdef01234567",
  "sha512-1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV2wX3yZ4aB5cD6eF7gH8iJ9kL0mN1oP2qR3==",
  "e4b1c9a8-1111-4222-8333-444455556666",
])("no secret, not masked: %s", (text) => {
  expect(maskSecrets(text)).toEqual({ value: text, found: {} });
});

test("the value of a field is masked by the name of the field, as it is in JSON text", () => {
  const args = {
    env: { API_KEY: any(32), MODE: any(32), note: "the password is not here", TOKEN: "<your-token-here-1>" },
    headers: { Authorization: `Bearer ${any(30)}`, "x-api-key": any(32), accept: "text/html" },
    client_secret: `ghp_${any(36)}`,
  };
  const { value, found } = maskSecrets(args);
  expect(value).toEqual({
    env: { ...args.env, API_KEY: "[masked: secret]" },
    headers: {
      Authorization: "Bearer [masked: authorization]",
      "x-api-key": "[masked: secret]",
      accept: "text/html",
    },
    client_secret: "[masked: GitHub token]",
  });
  expect(found).toEqual({ "GitHub token": 1, authorization: 1, secret: 2 });
});

test("within a message, every text and key; what is masked is counted", () => {
  const one = `ghp_${any(36)}`;
  const other = `sk-ant-api03-${any(90)}`;
  const message = {
    role: "assistant",
    content: [
      { type: "text", text: `use ${one} and ${one}` },
      {
        type: "tool_call",
        id: "c",
        name: "Bash",
        args: { command: `curl -H 'x-api-key: ${other}'`, [one]: 1, n: 2 ** 40 },
      },
      { type: "image", mimeType: "image/png", data: any(100) },
    ],
    metadata: { __proto__: null, deep: [[null, true]] },
  };
  expect(maskSecrets(message)).toEqual({
    value: {
      role: "assistant",
      content: [
        { type: "text", text: "use [masked: GitHub token] and [masked: GitHub token]" },
        {
          type: "tool_call",
          id: "c",
          name: "Bash",
          args: {
            command: "curl -H 'x-api-key: [masked: Anthropic key]'",
            "[masked: GitHub token]": 1,
            n: 2 ** 40,
          },
        },
        { type: "image", mimeType: "image/png", data: any(100) },
      ],
      metadata: { deep: [[null, true]] },
    },
    found: { "GitHub token": 3, "Anthropic key": 1 },
  });
});

test("keys of an object that are secrets stay different keys", () => {
  const args = { [`ghp_${any(36)}`]: 1, [`ghp_${hex(36)}`]: 2, [`ghp_${any(30)}`]: 3, [`ghp_${any(31)}`]: 4 };
  expect(maskSecrets(args)).toEqual({
    value: {
      "[masked: GitHub token]": 1,
      "[masked: GitHub token] 2": 2,
      "[masked: GitHub token] 3": 3,
      "[masked: GitHub token] 4": 4,
    },
    found: { "GitHub token": 4 },
  });
});

test.each([
  ["private key", `-----BEGIN PRIVATE KEY-----\n${any(64)}\n-----END PRIVATE KEY-----`],
  ["JSON web token", JWT],
  ["secret", `API_KEY=${any(32)}`],
  ["secret", `api_key=${any(32)}`],
  ["secret", `Client-Secret: ${any(32)}`],
  ["authorization", `AUTHORIZATION: bearer ${any(32)}`],
  ["password", "https://app:hunter2@host"],
])("each %s in a text is masked", (family, secret) => {
  const { value, found } = maskSecrets(`${secret}\nand\n${secret}`);
  expect(found).toEqual({ [family]: 2 });
  const [first, second] = value.split("\nand\n");
  expect(first).toContain(`[masked: ${family}]`);
  expect(second).toBe(first);
});

test.each(["Token", "API-KEY", "accountkey", "db_password", "credential", "Authorization"])(
  "the value of a field called %s is masked, and no other value",
  (name) => {
    const secret = name === "Authorization" ? `Bearer ${any(30)}` : any(30);
    const family = name === "Authorization" ? "authorization" : "secret";
    expect(maskSecrets({ [name]: secret }).found).toEqual({ [family]: 1 });
    const others = { [name]: 123_456_789_012_345, note: secret, nested: { [name]: null } };
    expect(maskSecrets(others)).toEqual({ value: others, found: {} });
  },
);

test("a key called __proto__ stays a key, and what nests too deep is cut", () => {
  expect(JSON.stringify(maskSecrets(JSON.parse('{"__proto__":{"a":1}}')).value)).toBe(
    '{"__proto__":{"a":1}}',
  );
  const deep = JSON.parse(`${"[".repeat(3000)}1${"]".repeat(3000)}`);
  expect(JSON.stringify(maskSecrets(deep).value)).toBe(`${"[".repeat(1001)}null${"]".repeat(1001)}`);
});

test("counts add up", () => {
  expect(sumSecrets({ a: 1, __proto__: 2 }, { a: 2, b: 1 }, {})).toEqual({ a: 3, b: 1 });
});

const pieces = fc.constantFrom(
  ...Object.values(EXAMPLES).flat(),
  ...IN_CONTEXT.map(([, before, secret, after]) => `${before}${secret}${after}`),
  "-----BEGIN PRIVATE KEY-----",
  "-----END PRIVATE KEY-----",
  ..."eyJ sk- xox :// : @ \n \\n = . - [masked: ] password secret Bearer".split(" "),
  " ",
  '"',
  ANY,
);

test("masking twice changes nothing", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (list) => {
      const once = maskSecrets(list.join(" "));
      expect(maskSecrets(once.value)).toEqual({ value: once.value, found: {} });
    }),
    { numRuns: rounds(500) },
  );
});

test("no repeated piece makes the search take more than linear time", () => {
  for (const piece of [
    "eyJ",
    "eyJa-",
    "sk-",
    "sk-ant-",
    "://a:",
    "password=",
    "-----BEGIN PRIVATE KEY-----\n",
    "authorization: ",
    "a.",
    "AccountKey=",
    "\\n",
    "aB3dE6gH9j",
    "api_key_",
  ]) {
    const text = piece.repeat(300_000 / piece.length);
    expect(typeof maskSecrets(text).value).toBe("string");
  }
});
