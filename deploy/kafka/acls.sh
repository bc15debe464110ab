#!/usr/bin/env bash
# Gives a principal the minimal Kafka permissions that combo-consumer needs, with kafka-acls of Apache Kafka (2.0 or newer).
#
#   acls.sh --brokers HOST:PORT --principal User:combo --input gifts --output banners [OPTIONS]
#
#   --input a,b             several inputs; or
#   --input-prefix gifts_   all inputs whose names begin so, as for run --input-pattern ^gifts_: the principal may then also write
#                           to them, since their journals begin with the same letters
#   --group NAME            as the service's --group (default combo-consumer)
#   --dead-letter TOPIC     as the service's (default <input>.<group>.combo-dead-letter)
#   --screens TOPIC         as the service's, if it has one
#   --transactional-id ID   the full id, if the service has one; default: all ids that begin with <group>.
#   --command-config FILE   properties for the login of kafka-acls itself
#   --topics-exist          the topics exist, with the right settings: grants no permission to create or alter them
#   --before-3.0            for brokers before Kafka 3.0, which also need IdempotentWrite on the cluster
#   --auditor User:NAME     a second principal that may only read, for `combo-consumer verify`
#   --remove                removes the same permissions
#   --dry-run               prints the commands without running them
#
# KAFKA_ACLS names the program (default: kafka-acls.sh, else kafka-acls, whichever is in the PATH).
set -euo pipefail

fail() { echo "acls.sh: $*" >&2; exit 2; }

brokers='' principal='' input='' input_prefix='' output='' group=combo-consumer dead_letter='' transactional_id='' config='' auditor='' screens=''
topics_exist=0 old=0 dry=0 action=--add
while (($# > 0)); do
  case $1 in
    --brokers | --principal | --input | --input-prefix | --output | --group | --dead-letter | --screens | --transactional-id | --command-config | --auditor)
      if (($# < 2)) || [[ -z $2 ]]; then fail "$1 needs a value"; fi
      case $1 in
        --command-config) config=$2 ;;
        *) name=${1#--}; printf -v "${name//-/_}" %s "$2" ;;
      esac
      shift ;;
    --topics-exist) topics_exist=1 ;;
    --before-3.0) old=1 ;;
    --remove) action=--remove ;;
    --dry-run) dry=1 ;;
    --help | -h) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "$0"; exit 0 ;;
    *) fail "unknown option $1; see --help" ;;
  esac
  shift
done
[[ -n $input_prefix ]] || [[ -n $input ]] || fail "--input is missing; see --help"
for name in brokers principal output; do
  [[ -n ${!name} ]] || fail "--$name is missing; see --help"
done
for name in principal auditor; do
  [[ -z ${!name} || ${!name} == *:?* ]] || fail "--$name must be like User:name, not \"${!name}\""
done
[[ $input_prefix != *[^a-zA-Z0-9._-]* ]] || fail "--input-prefix must be the first letters of topics' names, not \"$input_prefix\""
IFS=, read -r -a inputs <<<"${input:+$input,}"
for one in "${inputs[@]}"; do
  [[ $one =~ ^[a-zA-Z0-9._-]+$ ]] || fail "--input must be names of topics with commas between them, not \"$input\""
done

tool=${KAFKA_ACLS:-}
if [[ -z $tool ]]; then
  tool=$(command -v kafka-acls.sh || command -v kafka-acls || true)
  [[ -n $tool ]] || { ((dry)) && tool=kafka-acls.sh; } ||
    fail "kafka-acls.sh is not in the PATH: set KAFKA_ACLS to the path of Kafka's bin/kafka-acls.sh"
fi

# acl PRINCIPAL "OPERATION OPERATION…" RESOURCE…
acl() {
  local who=$1 operations=$2
  shift 2
  local command=("$tool" --bootstrap-server "$brokers")
  [[ -z $config ]] || command+=(--command-config "$config")
  command+=("$action")
  [[ $action != --remove ]] || command+=(--force)
  command+=(--allow-principal "$who")
  local operation
  for operation in $operations; do command+=(--operation "$operation"); done
  command+=("$@")
  if ((dry)); then
    printf '%q ' "${command[@]}"
    echo
  else
    "${command[@]}" >/dev/null
    echo "$who: $operations on $*"
  fi
}

create=' Create' journal_only=' Alter AlterConfigs' state_only=' Alter'
if ((topics_exist)); then create='' journal_only=' DescribeConfigs' state_only=''; fi

# Read and Write include Describe. DescribeConfigs: the service checks the topics' settings.
acl "$principal" "Write DescribeConfigs$create" --topic "$output"
if [[ -n $screens ]]; then acl "$principal" "Write DescribeConfigs$create" --topic "$screens"; fi
if [[ -n $dead_letter ]]; then acl "$principal" "Write DescribeConfigs$create" --topic "$dead_letter"; fi
for one in "${inputs[@]}"; do
  acl "$principal" "Read DescribeConfigs" --topic "$one"
  if [[ -z $dead_letter ]]; then acl "$principal" "Write DescribeConfigs$create" --topic "$one.$group.combo-dead-letter"; fi
  # Alter: as many partitions as the input. AlterConfigs (includes DescribeConfigs): the journal's retention is the input's.
  acl "$principal" "Read Write$create$journal_only" --topic "$one.$group.combo-journal"
  acl "$principal" "Read Write DescribeConfigs$create$state_only" --topic "$one.$group.combo-state"
done
if [[ -n $input_prefix ]]; then
  acl "$principal" "Read Write$create$journal_only" --topic "$input_prefix" --resource-pattern-type prefixed
fi
# To join, and to commit offsets, in transactions too.
acl "$principal" "Read" --group "$group"
# An instance's id is <group>.<instance or host>, so it begins with the group and a dot.
if [[ -n $transactional_id ]]; then
  acl "$principal" "Write" --transactional-id "$transactional_id"
else
  acl "$principal" "Write" --transactional-id "$group." --resource-pattern-type prefixed
fi
# Without transactions (at-least-once) a producer is idempotent; since Kafka 3.0 Write on a topic is enough for that.
if ((old)); then acl "$principal" "IdempotentWrite" --cluster; fi

if [[ -n $auditor ]]; then
  acl "$auditor" "Read" --topic "$output"
  if [[ -n $dead_letter ]]; then acl "$auditor" "Read" --topic "$dead_letter"; fi
  for one in "${inputs[@]}"; do
    for topic in "$one" "$one.$group.combo-journal" "$one.$group.combo-state"; do acl "$auditor" "Read" --topic "$topic"; done
    if [[ -z $dead_letter ]]; then acl "$auditor" "Read" --topic "$one.$group.combo-dead-letter"; fi
  done
  if [[ -n $input_prefix ]]; then acl "$auditor" "Read" --topic "$input_prefix" --resource-pattern-type prefixed; fi
fi
