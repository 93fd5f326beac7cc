#!/bin/sh
# SPDX-License-Identifier: 0BSD
# newapplet.sh NAME 'What it does' - begins applets/NAME.c and testsuite/NAME.tests
cd "$(dirname "$0")/.." || exit
name=$1
what=$2
case $name in
'' | *[!a-z0-9-]* | -* | *-)
	echo "usage: sh scripts/newapplet.sh NAME 'What it does'" >&2
	exit 2
	;;
esac
for file in "applets/$name.c" "testsuite/$name.tests"; do
	[ ! -e "$file" ] || { echo "newapplet.sh: $file: exists" >&2; exit 1; }
done
symbol=$(echo "$name" | tr a-z- A-Z_)
function=$(echo "$name" | tr - _)

cat >"applets/$name.c" <<END
/* SPDX-License-Identifier: 0BSD */
/* $name - ${what:=say hello} */
//config:config $symbol
//config:	bool "$name"
//config:	default y
//config:	help
//config:	  $what
//applet:APPLET($name, $symbol)
//usage:[OPTIONS] NAME...
//usage:
//usage:$what
//usage:
//usage:-g,--greeting WORD	say WORD, not "hello"
//man:EXAMPLES
//man:	$name -g hi world
//man:EXIT STATUS
//man:0, or 2 for wrong usage.

#include "libbb.h"
#include "opts.h"

int ${function}_main(int argc UNUSED_PARAM, char **argv)
{
	uint32_t opts = getopt32(argv, ${symbol}_OPTSTR, ${symbol}_LONGS);
	const char *word = "hello";

	if (opts & ${symbol}_OPT_g)
		word = opt_arg[${symbol}_ARG_g];
	if (!*argv)
		bb_show_usage();
	for (; *argv; argv++)
		bb_printf("%s, %s\n", word, *argv);
	return EXIT_DONE;
}
END
cat >"testsuite/$name.tests" <<END
# SPDX-License-Identifier: 0BSD
testing "each name on a line" '$name a b' 'hello, a
hello, b'
testing "-g" '$name -g hi a' 'hi, a'
testing "without a name" '$name' '' 2 '*wrong usage*'
END
echo "made applets/$name.c and testsuite/$name.tests; see docs/adding-an-applet.md"
