#!/usr/bin/env bash
# manual.sh PROGRAM: the manual page escapement.1, made of what the program says of itself
set -eu
program=$1
text() { sed -e 's/\\/\\\\/g' -e "s/^\([.']\)/\\\\\&\1/" -e 's/-/\\-/g'; }
version=$("$program" --version | sed 's/^escapement //')
printf '.TH ESCAPEMENT 1 "" "escapement %s" "User Commands"\n' "$version"
printf '.SH NAME\nescapement \\- simulate mechanisms whose motion is not smooth\n'
printf '.SH SYNOPSIS\n.B escapement\n.I COMMAND\n[\\fIARGUMENT\\fR ...]\n.SH DESCRIPTION\n.nf\n'
"$program" --help | text
printf '.fi\n.SH COMMANDS\n'
for command in $("$program" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]*\) .*/\1/p'); do
  printf '.SS %s\n.nf\n' "$command"
  "$program" "$command" --help | text
  printf '.fi\n'
done
printf '.SH EXIT STATUS\n0 completed or stopped, 1 a simulation failed or (with \\-\\-strict) is suspect, 2 bad usage or bad input, 130 Ctrl\\-C.\n'
