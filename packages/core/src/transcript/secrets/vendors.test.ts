/** The shortest secret of each vendor is masked; a text with one character less is not masked. */

import { describe, expect, test } from "vitest";
import { maskSecrets } from "./index.ts";
import { VENDOR_SECRETS } from "./vendors.ts";

/** Made here, so that no file of this project holds what looks like a key. */
function any(length: number): string {
  return "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF".repeat(5).slice(0, length);
}

function hex(length: number): string {
  return "0123456789abcdef".repeat(5).slice(0, length);
}

function lower(length: number): string {
  return any(length).toLowerCase();
}

function upper(length: number): string {
  return any(length).toUpperCase();
}

const SHORTEST: Readonly<Record<string, readonly string[]>> = {
  "Anthropic key": [`sk-ant-${any(16)}`],
  "OpenRouter key": [`sk-or-${any(16)}`],
  "OpenAI key": ["proj-", "svcacct-", "admin-", "service-", "None-", ""].map(
    (kind) => `sk-${kind}${any(20)}`,
  ),
  "Google API key": [`AIza${any(35)}`, `AQ.${any(40)}`],
  "Google OAuth token": [`ya29.${any(20)}`, `1//${any(30)}`, `GOCSPX-${any(20)}`],
  "xAI key": [`xai-${any(40)}`],
  "Groq key": [`gsk_${any(40)}`],
  "Perplexity key": [`pplx-${any(32)}`],
  "Hugging Face token": [`hf_${any(30)}`, `api_org_${any(30)}`],
  "Replicate token": [`r8_${any(30)}`],
  "NVIDIA key": [`nvapi-${any(40)}`],
  "Cerebras key": [`csk-${lower(40)}`],
  "Fireworks key": [`fw_${any(20)}`],
  "LangSmith key": [`lsv2_pt_${hex(32)}_${hex(10)}`, `lsv2_sk_${hex(32)}_${hex(10)}`],
  "Tavily key": [`tvly-${any(20)}`],
  "ElevenLabs key": [`sk_${hex(48)}`],
  "GitHub token": [
    ...["p", "o", "u", "s", "r"].map((kind) => `gh${kind}_${any(20)}`),
    `github_pat_${any(22)}`,
  ],
  "GitLab token": [
    ...["agent", "cbt", "dt", "ffct", "ft", "imt", "oas", "pat", "ptt", "rt", "rtr", "soat", "wt"].map(
      (kind) => `gl${kind}-${any(20)}`,
    ),
    `GR1348941${any(20)}`,
  ],
  "Atlassian token": [`ATATT3${any(50)}`, `ATCTT3${any(50)}`, `ATBB${any(24)}`],
  "npm token": [`npm_${any(36)}`],
  "PyPI token": [`pypi-AgE${any(50)}`],
  "RubyGems key": [`rubygems_${hex(48)}`],
  "crates.io token": [`cio${any(32)}`],
  "NuGet key": [`oy2${lower(43)}`],
  "Docker token": [`dckr_pat_${any(20)}`, `dckr_oat_${any(20)}`],
  "CircleCI token": [`CCIPAT_${any(20)}_${hex(40)}`, `CCIPRJ_${any(20)}_${hex(40)}`],
  "Buildkite token": [`bkua_${hex(40)}`],
  "Pulumi token": [`pul-${hex(40)}`],
  "AWS access key": ["AKIA", "ASIA", "ABIA", "ACCA"].map((kind) => `${kind}${upper(16)}`),
  "Amazon Bedrock key": [`ABSK${any(40)}`, `bedrock-api-key-${any(40)}`],
  "Azure secret": [
    `${any(3)}8Q~${any(31)}`,
    `${any(3)}7Q~${any(31)}`,
    `${any(76)}AZDO${any(4)}`,
    `${any(52)}JQQJ99${any(26)}`,
  ],
  "DigitalOcean token": ["o", "p", "r"].map((kind) => `do${kind}_v1_${hex(64)}`),
  "Heroku token": [`HRKU-${any(36)}`],
  "Netlify token": [`nfp_${any(36)}`],
  "Cloudflare token": ["k", "ut", "at"].map((kind) => `cf${kind}_${any(40)}`),
  "Fly.io token": [
    ...["1", "1a", "1r", "2", "2a", "2r"].map((kind) => `fm${kind}_${any(50)}`),
    `fo1_${any(40)}`,
  ],
  "Vercel token": ["a", "i", "k", "p", "r"].map((kind) => `vc${kind}_${any(20)}`),
  "Supabase key": [`sbp_${hex(40)}`, `sb_secret_${any(20)}`],
  "PlanetScale token": ["tkn", "pw", "oauth"].map((kind) => `pscale_${kind}_${any(20)}`),
  "Neon key": [`napi_${lower(40)}`],
  "Databricks token": [`dapi${hex(32)}`],
  "Tailscale key": [`tskey-auth-${any(10)}`],
  "HashiCorp token": [`hvs.${any(24)}`, `hvb.${any(24)}`, `hvr.${any(24)}`, `${any(14)}.atlasv1.${any(60)}`],
  "Doppler token": ["audit", "ct", "pt", "sa", "scim", "said", "st"].map((kind) => `dp.${kind}.${any(40)}`),
  "1Password token": [`ops_eyJ${any(100)}`],
  "age key": [`AGE-SECRET-KEY-1${upper(58)}`],
  "Slack token": [`xoxb-${any(10)}`, `xoxe.xoxp-${any(10)}`, `xapp-1-${any(20)}`, `xwfp-${any(20)}`],
  "Discord token": ["M", "N", "O"].map((first) => `${first}${any(23)}.${any(6)}.${any(27)}`),
  "Telegram token": [`12345678:AA${any(32)}`],
  "Stripe key": [
    ...["sk_live", "sk_test", "rk_live", "rk_test"].map((kind) => `${kind}_${any(10)}`),
    `whsec_${any(20)}`,
  ],
  "Twilio key": [`SK${hex(32)}`],
  "SendGrid key": [`SG.${any(16)}.${any(30)}`],
  "Mailgun key": [`key-${hex(32)}`],
  "Mailchimp key": [`${hex(32)}-us1`],
  "Resend key": [`re_${any(6)}_${any(20)}`],
  "Shopify token": ["at", "ca", "pa", "ss"].map((kind) => `shp${kind}_${hex(32)}`),
  "Square token": [`sq0atp-${any(22)}`, `EAAA${any(60)}`],
  "Linear key": [`lin_api_${any(32)}`, `lin_oauth_${any(32)}`],
  "Notion token": [`ntn_${any(40)}`, `secret_${any(43)}`],
  "Figma token": [`figd_${any(38)}`],
  "Airtable token": [`pat${any(14)}.${hex(64)}`],
  "Postman key": [`PMAK-${hex(24)}-${hex(34)}`],
  "Grafana token": [`glsa_${any(32)}`, `glc_${any(32)}`],
  "Sentry token": [`sntrys_${any(40)}`, `sntryu_${hex(64)}`],
  "New Relic key": [`NRAK-${upper(27)}`],
  "Dynatrace token": [`dt0c01.${upper(24)}.${upper(64)}`],
  "PostHog key": [`phx_${any(40)}`],
};

/** These secrets are recognised by the text before them. */
const IN_CONTEXT: readonly (readonly [family: string, before: string, secret: string])[] = [
  ["Slack webhook", "hooks.slack.com/", `services/${any(20)}`],
  ["Slack webhook", "hooks.slack.com/", `workflows/${any(20)}`],
  ["Slack webhook", "hooks.slack.com/", `triggers/${any(20)}`],
  ["Discord webhook", "/api/webhooks/", `123456789012345/${any(50)}`],
];

test("every family of vendors has its shortest secret here", () => {
  const tested = new Set([...Object.keys(SHORTEST), "Azure key", ...IN_CONTEXT.map(([family]) => family)]);
  expect(VENDOR_SECRETS.map(({ name }) => name).filter((name) => !tested.has(name))).toEqual([]);
});

describe.each(Object.entries(SHORTEST))("%s", (family, secrets) => {
  test.each(secrets)("%s is masked, and with one character less it is not", (secret) => {
    expect(maskSecrets(secret)).toEqual({ value: `[masked: ${family}]`, found: { [family]: 1 } });
    const less = secret.slice(0, -1);
    expect(maskSecrets(less)).toEqual({ value: less, found: {} });
  });

  test("continues no other word", () => {
    const text = `a_${secrets[0]}`;
    expect(maskSecrets(text)).toEqual({ value: text, found: {} });
  });
});

test.each(IN_CONTEXT)(
  "%s: only what follows %s is masked, and with one character less nothing is",
  (...row) => {
    const [family, before, secret] = row;
    expect(maskSecrets(before + secret)).toEqual({
      value: `${before}[masked: ${family}]`,
      found: { [family]: 1 },
    });
    const less = before + secret.slice(0, -1);
    expect(maskSecrets(less)).toEqual({ value: less, found: {} });
  },
);

test.each(["AccountKey=", "SharedAccessKey="])("what follows %s is an Azure key by its length", (before) => {
  expect(maskSecrets(before + any(40)).value).toBe(`${before}[masked: Azure key]`);
  expect(maskSecrets(before + any(39)).value).toBe(`${before}[masked: secret]`);
});
