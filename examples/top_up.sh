#!/usr/bin/env bash
# Buys credit by card over plain HTTP with curl, on the development node and its local card processor: no money moves.
#
#   make run              # in one terminal; it prints the processor's address
#   examples/top_up.sh    # in another; or: examples/top_up.sh http://NODE http://PROCESSOR
#
# SVC_API_KEY is the key of the account to pay for; without it the script opens a new one.
# CARD names another of the processor's test cards: CARD=pm_card_chargeDeclined examples/top_up.sh
set -euo pipefail
cd "$(dirname "$0")/.."

api=${1:-http://127.0.0.1:8000}/core/v1
processor=${2:-http://127.0.0.1:8420}
card=${CARD:-pm_card_visa}

say() { printf '\n== %s\n' "$*"; }
field() { .venv/bin/python -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
ask() { curl --silent --show-error --fail-with-body "$@" && echo; }
post() { ask -H "X-Api-Key: $key" -H 'Content-Type: application/json' "$api/$1" -d "$2"; }
get() { ask -H "X-Api-Key: $key" "$api/$1"; }

key=${SVC_API_KEY:-}
[ -n "$key" ] || key=$(ask -H 'Content-Type: application/json' "$api/new_account" -d '{"account_name": "buyer"}' | field api_key)

say "the credit of the account before"
get billing/balance

say "your backend begins a payment of 5.00 USD"
intent=$(post billing/create_payment_intent '{"amount_cents": 500}')
id=$(field payment_intent_id <<< "$intent")
echo "$id"

say "the browser pays with the publishable key, as Stripe.js does"
publishable=$(ask "$api/billing/processor_config" | field publishable_key)
if ! paid=$(ask -u "$publishable:" "$processor/v1/payment_intents/$id/confirm" \
  -d "client_secret=$(field client_secret <<< "$intent")" -d "payment_method=$card"); then
  .venv/bin/python -c 'import json, sys; print(json.load(sys.stdin)["error"]["message"])' <<< "$paid" >&2
  exit 1
fi
field status <<< "$paid"

say "your backend confirms; if the webhook was first, the payment still counts once"
post billing/confirm_payment "{\"payment_intent_id\": \"$id\"}"
post billing/confirm_payment "{\"payment_intent_id\": \"$id\"}"

say "an action is charged"
post svc_action '{"code": "function main() { return 1; }"}'

say "the credit that is left, and the charges"
get billing/balance
ask -H "X-Api-Key: $key" -H 'Accept: text/csv' "$api/billing/usage"
say "done"
