#!/usr/bin/env bash
# The main job, end to end, with curl: account, wallet, action, group, usage key, run; then what must be refused.
#
#   make run            # in one terminal
#   examples/walk.sh    # in another; or: examples/walk.sh http://host:port
#
# With STATE=FILE the keys are kept in FILE, and `examples/walk.sh again` runs the same action with them once more.
set -euo pipefail
cd "$(dirname "$0")/.."

again=
if [ "${1:-}" = again ]; then
  again=yes
  shift
fi
base=${1:-http://127.0.0.1:8000}
api=$base/core/v1
python=.venv/bin/python
state=${STATE:-}

say() { printf '\n== %s\n' "$*"; }
field() { "$python" -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
post() { curl --silent --show-error --fail-with-body -H "X-Api-Key: $1" -H 'Content-Type: application/json' "$api/$2" -d "$3"; }
list() { curl --silent --show-error --fail-with-body -H "X-Api-Key: $1" "$api/$2"; }
status() { curl --silent --output /dev/null --write-out '%{http_code}' -H "X-Api-Key: $1" -H 'Content-Type: application/json' "$api/svc_action" -d "$2"; }
refused() { # refused WANTED KEY BODY: the call must answer the status WANTED
  local got
  got=$(status "$2" "$3")
  echo "answered $got"
  [ "$got" = "$1" ] || { echo "expected $1" >&2; exit 1; }
}

code='async function main({ wallet, text }) {
  const signature = await Svc.Actions.signMessage({ pkpId: wallet, message: text });
  console.log("signed", text.length, "characters");
  return { text, signature };
}'
other='async function main() { return "this code is in no group"; }'
run_body() { # run_body CODE WALLET
  "$python" -c 'import json, sys; print(json.dumps({"code": sys.argv[1], "js_params": {"wallet": sys.argv[2], "text": "hello"}}))' "$1" "$2"
}
run_and_recover() {
  local answer
  answer=$(post "$usage_key" svc_action "$(run_body "$code" "$wallet")")
  echo "$answer"
  ANSWER=$answer WALLET=$wallet "$python" - <<'PYTHON'
import json
import os

from eth_account import Account
from eth_account.messages import encode_defunct

answer = json.loads(os.environ["ANSWER"])
signer = Account.recover_message(encode_defunct(text="hello"), signature=answer["response"]["signature"])
print("the signature recovers to", signer)
assert signer == os.environ["WALLET"], "not the wallet that was asked to sign"
PYTHON
}

if [ -n "$again" ]; then
  . "$state"
  say "the same action, with the keys of $state"
  run_and_recover
  exit
fi

say "new_account"
account=$(curl --silent --show-error --fail-with-body -H 'Content-Type: application/json' "$api/new_account" -d '{"account_name": "walk"}')
account_key=$(field api_key <<<"$account")
echo "account wallet $(field wallet_address <<<"$account"); the key is shown once and not printed here"

say "create_wallet"
wallet=$(post "$account_key" create_wallet '{}' | field wallet_address)
echo "$wallet"

say "get_svc_action_ipfs_id of a script that signs a message with the wallet"
cid=$("$python" -c 'import json, sys; print(json.dumps(sys.argv[1]))' "$code" | curl --silent --show-error --fail-with-body -H 'Content-Type: application/json' "$api/get_svc_action_ipfs_id" -d @- | "$python" -c 'import json, sys; print(json.load(sys.stdin))')
echo "$cid"

say "add_action"
post "$account_key" add_action "{\"action_ipfs_cid\": \"$cid\", \"name\": \"sign\"}"; echo

say "add_group with that action"
hashed=$(list "$account_key" list_actions | "$python" -c 'import json, sys; print(json.load(sys.stdin)[0]["hashed_cid"])')
group=$(post "$account_key" add_group "{\"group_name\": \"signers\", \"cid_hashes_permitted\": [\"$hashed\"]}" | field group_id)
echo "group $group"

say "add_pkp_to_group"
post "$account_key" add_pkp_to_group "{\"group_id\": \"$group\", \"pkp_id\": \"$wallet\"}"; echo

say "add_usage_api_key that may execute in that group"
usage_key=$(post "$account_key" add_usage_api_key "{\"name\": \"backend\", \"execute_in_groups\": [$group]}" | field usage_api_key)
echo "a usage key, shown once and not printed here"

say "svc_action with the usage key"
run_and_recover

say "the same key with other code"
refused 403 "$usage_key" "$(run_body "$other" "$wallet")"

say "what the account holds now"
list "$account_key" list_wallets; echo
list "$account_key" list_groups; echo
list "$account_key" list_actions; echo
list "$account_key" list_api_keys; echo

say "a second usage key, removed again"
removed=$(post "$account_key" add_usage_api_key "{\"name\": \"short-lived\", \"execute_in_groups\": [$group]}" | field usage_api_key)
post "$account_key" remove_usage_api_key "{\"usage_api_key\": \"$removed\"}"; echo
refused 401 "$removed" "$(run_body "$code" "$wallet")"

if [ -n "$state" ]; then
  (umask 077; printf 'account_key=%q\nusage_key=%q\nwallet=%q\n' "$account_key" "$usage_key" "$wallet" >"$state")
fi
say "done"
