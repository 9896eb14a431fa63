import { expect, test } from "vitest";
import { headToHtml } from "./head.ts";

test("a head allows no more than its policy, and sends no address", () => {
  const given = { title: "a &lt;", policy: "default-src 'none'", style: "b {}" };
  expect(headToHtml(given)).toBe(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>a &lt;</title>
<style>b {}</style>
</head>
<body>
`);
});
