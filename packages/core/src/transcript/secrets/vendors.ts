/**
 * The keys and tokens of vendors, with the patterns that the vendors document.
 *
 * An entry has a name, hints (every match contains one of them), and a pattern. A match does not begin within a word:
 * `key` excludes that.
 */

import { key, type SecretFamily } from "./family.ts";

export const VENDOR_SECRETS: readonly SecretFamily[] = [
  // These are keys of programs that call models.
  // https://docs.claude.com/en/api/overview: `sk-ant-api03-…`, `sk-ant-admin01-…`; Claude Code: `sk-ant-oat01-…`.
  key("Anthropic key", ["sk-ant-"], /sk-ant-[A-Za-z0-9_-]{16,}/u),
  // https://openrouter.ai/docs/api-reference/authentication
  key("OpenRouter key", ["sk-or-"], /sk-or-[A-Za-z0-9_-]{16,}/u),
  // https://platform.openai.com/docs/api-reference/authentication; other vendors copied `sk-`.
  key(
    "OpenAI key",
    ["sk-"],
    /sk-(?:(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,})/u,
  ),
  // https://ai.google.dev/gemini-api/docs/api-key, https://cloud.google.com/docs/authentication/api-keys
  key("Google API key", ["AIza", "AQ."], /AIza[A-Za-z0-9_-]{35}|AQ\.[A-Za-z0-9_-]{40,}/u),
  // https://developers.google.com/identity/protocols/oauth2
  key(
    "Google OAuth token",
    ["ya29.", "1//", "GOCSPX-"],
    /ya29\.[A-Za-z0-9_.-]{20,}|1\/\/[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{20,}/u,
  ),
  // https://docs.x.ai, https://console.groq.com/docs, https://docs.perplexity.ai
  key("xAI key", ["xai-"], /xai-[A-Za-z0-9]{40,}/u),
  key("Groq key", ["gsk_"], /gsk_[A-Za-z0-9]{40,}/u),
  key("Perplexity key", ["pplx-"], /pplx-[A-Za-z0-9]{32,}/u),
  // https://huggingface.co/docs/hub/security-tokens, https://replicate.com/docs/reference/http#authentication
  key("Hugging Face token", ["hf_", "api_org_"], /(?:hf|api_org)_[A-Za-z0-9]{30,}/u),
  key("Replicate token", ["r8_"], /r8_[A-Za-z0-9]{30,}/u),
  // https://docs.api.nvidia.com, https://inference-docs.cerebras.ai, https://docs.fireworks.ai
  key("NVIDIA key", ["nvapi-"], /nvapi-[A-Za-z0-9_-]{40,}/u),
  key("Cerebras key", ["csk-"], /csk-[a-z0-9]{40,}/u),
  key("Fireworks key", ["fw_"], /fw_[A-Za-z0-9]{20,}/u),
  // https://docs.smith.langchain.com, https://docs.tavily.com, https://elevenlabs.io/docs
  key("LangSmith key", ["lsv2_"], /lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}/u),
  key("Tavily key", ["tvly-"], /tvly-[A-Za-z0-9-]{20,}/u),
  key("ElevenLabs key", ["sk_"], /sk_[0-9a-f]{48}/u),

  // These are tokens of hosts of code and of registries of packages.
  // https://docs.github.com/en/authentication: prefixes; since 2026 `ghs_` may hold a JWT with dots.
  key(
    "GitHub token",
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    /gh[pousr]_[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]+){0,2}|github_pat_[A-Za-z0-9_]{22,}/u,
  ),
  // https://docs.gitlab.com/security/tokens/: one prefix for each kind of token.
  key(
    "GitLab token",
    ["gl", "GR1348941"],
    /gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat|wt)-[A-Za-z0-9_.=-]{20,}|GR1348941[A-Za-z0-9_-]{20}/u,
  ),
  // https://support.atlassian.com/bitbucket-cloud/docs/access-tokens/
  key("Atlassian token", ["ATATT3", "ATCTT3", "ATBB"], /AT[AC]TT3[A-Za-z0-9_=-]{50,}|ATBB[A-Za-z0-9]{24,}/u),
  // https://docs.npmjs.com/about-access-tokens, https://pypi.org/help/#apitoken, https://guides.rubygems.org
  key("npm token", ["npm_"], /npm_[A-Za-z0-9]{36}/u),
  key("PyPI token", ["pypi-AgE"], /pypi-AgE[A-Za-z0-9_-]{50,}/u),
  key("RubyGems key", ["rubygems_"], /rubygems_[0-9a-f]{48}/u),
  // https://doc.rust-lang.org/cargo, https://learn.microsoft.com/nuget, https://docs.docker.com/security/access-tokens/
  key("crates.io token", ["cio"], /cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/u),
  key("NuGet key", ["oy2"], /oy2[a-z0-9]{43}(?![A-Za-z0-9])/u),
  key("Docker token", ["dckr_"], /dckr_[po]at_[A-Za-z0-9_-]{20,}/u),
  // https://circleci.com/docs, https://buildkite.com/docs/apis, https://www.pulumi.com/docs
  key("CircleCI token", ["CCIP"], /CCIP(?:AT|RJ)_[A-Za-z0-9]{20,}_[0-9a-f]{40}/u),
  key("Buildkite token", ["bkua_"], /bkua_[0-9a-f]{40}/u),
  key("Pulumi token", ["pul-"], /pul-[0-9a-f]{40}/u),

  // These are keys of clouds, hosts and databases.
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
  key(
    "AWS access key",
    ["AKIA", "ASIA", "ABIA", "ACCA"],
    /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/u,
  ),
  // https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html
  key(
    "Amazon Bedrock key",
    ["ABSK", "bedrock-api-key-"],
    /ABSK[A-Za-z0-9+/=]{40,}|bedrock-api-key-[A-Za-z0-9+/=]{40,}/u,
  ),
  // https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string
  {
    name: "Azure key",
    hints: ["AccountKey=", "SharedAccessKey="],
    pattern: /(?:Account|SharedAccess)Key=(?<secret>[A-Za-z0-9+/]{40,100}={0,2})/gu,
  },
  // https://learn.microsoft.com/purview/sit-defn-azure-ad-client-secret, …/azure/devops: tokens with `AZDO`.
  key(
    "Azure secret",
    ["8Q~", "7Q~", "AZDO", "JQQJ99"],
    /[A-Za-z0-9_~.]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}|[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}/u,
  ),
  // https://docs.digitalocean.com/reference/api, https://devcenter.heroku.com, https://docs.netlify.com
  key("DigitalOcean token", ["_v1_"], /do[opr]_v1_[0-9a-f]{64}/u),
  key("Heroku token", ["HRKU-"], /HRKU-[A-Za-z0-9_-]{36,}/u),
  key("Netlify token", ["nfp_"], /nfp_[A-Za-z0-9]{36}/u),
  // https://developers.cloudflare.com/fundamentals/api/get-started/token-formats/
  key("Cloudflare token", ["cfk_", "cfut_", "cfat_"], /cf(?:k|ut|at)_[A-Za-z0-9_-]{40,}/u),
  // https://fly.io/docs/security/tokens/, https://vercel.com/docs/rest-api
  key("Fly.io token", ["fm1", "fm2", "fo1_"], /fm[12][ar]?_[A-Za-z0-9+/=_-]{50,}|fo1_[A-Za-z0-9_-]{40,}/u),
  key("Vercel token", ["vc"], /vc[aikpr]_[A-Za-z0-9]{20,}/u),
  // https://supabase.com/docs/guides/api/api-keys, https://planetscale.com/docs, https://neon.tech/docs
  key("Supabase key", ["sbp_", "sb_secret_"], /sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,}/u),
  key("PlanetScale token", ["pscale_"], /pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{20,}/u),
  key("Neon key", ["napi_"], /napi_[a-z0-9]{40,}/u),
  // https://docs.databricks.com/dev-tools/auth, https://tailscale.com/kb/1085/auth-keys
  key("Databricks token", ["dapi"], /dapi[0-9a-f]{32}(?:-\d)?/u),
  key("Tailscale key", ["tskey-"], /tskey-[a-z]+-[A-Za-z0-9-]{10,}/u),
  // https://developer.hashicorp.com/vault/docs/concepts/tokens, …/terraform/cloud-docs/api-docs
  key(
    "HashiCorp token",
    ["hvs.", "hvb.", "hvr.", ".atlasv1."],
    /hv[sbr]\.[A-Za-z0-9_-]{24,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}/u,
  ),
  // https://docs.doppler.com, https://developer.1password.com/docs/service-accounts, https://age-encryption.org
  key("Doppler token", ["dp."], /dp\.(?:audit|ct|pt|sa|scim|said|st)\.[A-Za-z0-9_.-]{40,}/u),
  key("1Password token", ["ops_eyJ"], /ops_eyJ[A-Za-z0-9+/=_-]{100,}/u),
  key("age key", ["AGE-SECRET-KEY-1"], /AGE-SECRET-KEY-1[A-Z0-9]{58}/u),

  // These are keys of services that companies use.
  // https://docs.slack.dev/authentication/tokens,
  // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
  key(
    "Slack token",
    ["xox", "xapp-", "xwfp-"],
    /(?:xoxe\.)?xox[a-z]-[A-Za-z0-9%-]{10,}|xapp-\d-[A-Za-z0-9-]{20,}|xwfp-[A-Za-z0-9-]{20,}/u,
  ),
  {
    name: "Slack webhook",
    hints: ["hooks.slack.com/"],
    pattern: /hooks\.slack\.com\/(?<secret>(?:services|workflows|triggers)\/[A-Za-z0-9/_-]{20,})/gu,
  },
  // https://discord.com/developers/docs/resources/webhook, …/reference#authentication
  {
    name: "Discord webhook",
    hints: ["/api/webhooks/"],
    pattern: /\/api\/webhooks\/(?<secret>\d{15,20}\/[A-Za-z0-9_-]{50,})/gu,
  },
  key("Discord token", ["."], /[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}/u),
  // https://core.telegram.org/bots/api#authorizing-your-bot
  key("Telegram token", [":AA"], /\d{8,10}:AA[A-Za-z0-9_-]{32,34}/u),
  // https://docs.stripe.com/keys, https://docs.stripe.com/webhooks
  key(
    "Stripe key",
    ["sk_", "rk_", "whsec_"],
    /[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,}/u,
  ),
  // https://www.twilio.com/docs/iam/api-keys, https://www.twilio.com/docs/sendgrid, https://documentation.mailgun.com
  key("Twilio key", ["SK"], /SK[0-9a-f]{32}(?![A-Za-z0-9])/u),
  key("SendGrid key", ["SG."], /SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}/u),
  key("Mailgun key", ["key-"], /key-[0-9a-f]{32}(?![A-Za-z0-9])/u),
  key("Mailchimp key", ["-us"], /[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/u),
  key("Resend key", ["re_"], /re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}/u),
  // https://shopify.dev/docs/apps, https://developer.squareup.com/docs
  key("Shopify token", ["shp"], /shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/u),
  key("Square token", ["sq0", "EAAA"], /sq0[a-z]{3}-[A-Za-z0-9_-]{22,}|EAAA[A-Za-z0-9_-]{60}/u),
  // https://linear.app/developers, https://developers.notion.com, https://www.figma.com/developers/api
  key("Linear key", ["lin_"], /lin_(?:api|oauth)_[A-Za-z0-9]{32,}/u),
  key("Notion token", ["ntn_", "secret_"], /ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/u),
  key("Figma token", ["figd_"], /figd_[A-Za-z0-9_-]{38,}/u),
  // https://airtable.com/developers/web/guides/personal-access-tokens, https://learning.postman.com
  key("Airtable token", ["pat"], /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/u),
  key("Postman key", ["PMAK-"], /PMAK-[0-9a-f]{24}-[0-9a-f]{34}/u),
  // https://grafana.com/docs, https://docs.sentry.io/account/auth-tokens/,
  // https://docs.newrelic.com, https://docs.dynatrace.com
  key("Grafana token", ["glsa_", "glc_"], /glsa_[A-Za-z0-9_]{32,}|glc_[A-Za-z0-9+/=]{32,}/u),
  key("Sentry token", ["sntry"], /sntrys_[A-Za-z0-9+/=_-]{40,}|sntryu_[0-9a-f]{64}/u),
  key("New Relic key", ["NRAK-"], /NRAK-[A-Z0-9]{27}/u),
  key("Dynatrace token", ["dt0"], /dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}/u),
  key("PostHog key", ["phx_"], /phx_[A-Za-z0-9]{40,}/u),
];
