#!/usr/bin/env bash
# The main job, end to end, with curl: account, wallet, action, group, usage key, run; then what must be refused.
#
#   make run            # in one terminal
#   examples/walk.sh    # in another; or: examples/walk.sh http://host:port
#
# With STATE=FILE the keys are kept in FILE, and `examples/walk.sh again` runs the same action with them once more.
# A node that sells credit answers 402 to a new account. Pay for one, and walk with its key: WALK_API_KEY=KEY examples/walk.sh
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
account_key=${WALK_API_KEY:-}

say() { printf '\n== %s\n' "$*"; }
read_json() { # read_json CODE ARGUMENT: what Python makes of the `answer` on stdin; nothing came where a call failed, which said why
  "$python" -c "
import json, sys
try:
    answer = json.loads(sys.stdin.read())
except ValueError:
    sys.exit(1)
print($1)" "${2:-}"
}
field() { read_json 'answer[sys.argv[1]]' "$1"; }
call() { # call PATH CURL_OPTIONS: the answer; a refusal is explained, and ends the walk
  local answer ended=0
  answer=$(curl --silent --show-error --fail-with-body "${@:2}" "$api/$1") || ended=$?
  if [ "$ended" = 0 ]; then
    printf '%s' "$answer"
    return
  fi
  if [ "$ended" = 60 ]; then # curl has said why
    printf 'This walk proves no node by itself. `svc proxy` does, and serves it: examples/walk.sh http://127.0.0.1:9000\n' >&2
  elif [ -n "$answer" ]; then
    explain "$1" "$answer" >&2
  fi
  return 1
}
explain() { # explain PATH ANSWER
  printf '\n%s was refused: ' "$1"
  read_json 'answer["message"], answer.get("fix", "")' <<<"$2" || { printf 'no answer of a node: %s\n' "$2"; return; }
  [ "$(field error <<<"$2")" = payment_required ] || return 0
  if [ -z "${WALK_API_KEY:-}" ]; then
    local kept
    kept=$(mktemp) # mode 0600
    printf '%s\n' "$account_key" >"$kept"
    printf 'The account is new and this node sells credit. The key of the account is in %s.\n' "$kept"
    printf 'Pay for it (on a development node: SVC_API_KEY=$(cat %s) examples/top_up.sh), then walk with its key:\n' "$kept"
    printf '  WALK_API_KEY=$(cat %s) examples/walk.sh %s\n' "$kept" "$base"
  fi
}
post() { call "$2" -H "X-Api-Key: $1" -H 'Content-Type: application/json' -d "$3"; }
list() { call "$2" -H "X-Api-Key: $1"; }
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

if [ -z "$account_key" ]; then
  say "new_account"
  account=$(call new_account -H 'Content-Type: application/json' -d '{"account_name": "walk"}')
  account_key=$(field api_key <<<"$account")
  echo "account wallet $(field wallet_address <<<"$account"); the key is shown once and not printed here"
else
  say "the balance of the account of WALK_API_KEY (below zero is credit)"
  list "$account_key" billing/balance; echo
  code="// walk $(date +%s) $$
$code" # an account has an action once
fi

say "create_wallet"
wallet=$(post "$account_key" create_wallet '{}' | field wallet_address)
echo "$wallet"

say "get_svc_action_ipfs_id of a script that signs a message with the wallet"
cid=$("$python" -c 'import json, sys; print(json.dumps(sys.argv[1]))' "$code" | call get_svc_action_ipfs_id -H 'Content-Type: application/json' -d @- | read_json answer)
echo "$cid"

say "add_action"
post "$account_key" add_action "{\"action_ipfs_cid\": \"$cid\", \"name\": \"sign\"}"; echo

say "add_group with that action"
hashed=$(list "$account_key" 'list_actions?page_size=100' | read_json 'next(each["hashed_cid"] for each in answer if each["action_ipfs_cid"] == sys.argv[1])' "$cid")
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
  (umask 077; printf 'account_key=%q\nusage_key=%q\nwallet=%q\ncode=%q\n' "$account_key" "$usage_key" "$wallet" "$code" >"$state")
fi
say "done"
