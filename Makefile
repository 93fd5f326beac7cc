# SPDX-License-Identifier: 0BSD
# warmbox; "make help" lists the targets

VERSION = 0.1.0
RELEASED = 2026-11-30

O = .
override O := $(O:%/=%)
ifneq ($(words $(O)),1)
$(error O=$(O): no blanks, please)
endif
PREFIX = /usr/local
LINKS = symbolic

goals := $(or $(MAKECMDGOALS),all)
unexport CONFIG_
MAKEFLAGS += -rR --no-print-directory

# "make defconfig all", "make -j2 clean all": one after the other
first := $(filter %config clean distclean,$(goals))
ifneq ($(and $(first),$(word 2,$(goals))),)

.PHONY: $(goals)
$(firstword $(goals)):
	@set -e; for goal in $(goals); do $(MAKE) $$goal; done
$(wordlist 2,99,$(goals)): $(firstword $(goals)) ; @:

else

Q := $(if $(V),,@)
silent := $(findstring s,$(filter-out --%,$(firstword $(MAKEFLAGS))))
say = $(if $(V)$(silent),@:,@printf '  %-7s %s\n')
AWK = awk
awk = env LC_ALL=C $(AWK)
update = sh scripts/update.sh
# $(call need,TOOL,PACKAGE)
need = command -v $(1) >/dev/null || \
	{ echo "make: $(1) not found$(2:%=; Debian has it in package %)" >&2; exit 1; }
# pagecache-stat: PAGECACHE_STAT
symbol = $(shell echo '$(1)' | tr a-z- A-Z_)

# --- compiler

ifneq ($(filter default undefined,$(origin CC)),)
ifneq ($(CROSS_COMPILE),)
CC = $(CROSS_COMPILE)gcc
else ifneq ($(SAN),)
CC = gcc
else ifneq ($(shell command -v musl-gcc),)
CC = musl-gcc
else
CC = gcc
note = echo "note: no musl-gcc (Debian: musl-tools); with the libc of gcc the binary will be larger"
endif
endif
STRIP = $(CROSS_COMPILE)strip
NM = $(CROSS_COMPILE)nm
SIZE = $(CROSS_COMPILE)size
cc_package = $(if $(CROSS_COMPILE),gcc-$(CROSS_COMPILE:%-=%),$(cc_package_$(CC)))
cc_package_gcc = gcc
cc_package_clang = clang
cc_package_musl-gcc = musl-tools

WARNINGS = -Wall -Wextra -Wundef -Wshadow -Wmissing-prototypes -Wmissing-declarations \
	-Wstrict-prototypes -Wold-style-definition -Wredundant-decls -Wnested-externs \
	-Wpointer-arith -Wwrite-strings -Wvla $(if $(WERROR),-Werror)

ifneq ($(SAN),)
CFLAGS ?= -O1 -g
mode_cflags = -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
mode_ldflags = -fsanitize=$(SAN)
else
# What only newer compilers have, or only some machines; there is no floating point in the box.
# What gcc does even with -Os and -Oz to make code faster: found by trying each flag it has. On x86
# it would put larger data on multiples of 32 bytes, too.
has = $(shell $(CC) -Werror $1 -S -o /dev/null -x c /dev/null >/dev/null 2>&1 && echo $1)
# The whole box at once is 0.8 kB smaller: gcc only, for clang would need another linker.
small := $(call has,-flto -flto-partition=one) \
	$(foreach flag,-Oz -mgeneral-regs-only -fno-jump-tables -fno-expensive-optimizations \
	-fno-shrink-wrap -fno-caller-saves -fno-tree-tail-merge -fno-move-loop-invariants \
	-fno-tree-loop-im -malign-data=abi,$(call has,$(flag)))
CFLAGS ?= -Os $(small)
mode_cflags = -ffunction-sections -fdata-sections -fno-pie -fomit-frame-pointer \
	-fno-stack-protector -fno-unwind-tables -fno-asynchronous-unwind-tables
# The small "common page" keeps ld from filling the file up to a page before .data; sorting puts
# small variables together, so that fewer pages are touched.
mode_ldflags = -static -Wl,--gc-sections -Wl,-z,norelro -Wl,-z,noseparate-code \
	-Wl,-z,common-page-size=16 -Wl,--build-id=none -Wl,--sort-section=alignment
endif

cpp_flags = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
	-DWB_VERSION='"$(VERSION)"' $(if $(SINGLE),$(single_flags)) \
	-Ilibbb -I$O/gen -include $O/gen/autoconf.h
cc_flags = -std=gnu11 $(WARNINGS) $(mode_cflags) $(CFLAGS) $(EXTRA_CFLAGS)
ld_flags = $(mode_ldflags) $(LDFLAGS) $(EXTRA_LDFLAGS)

# --- sources

libbb_src := $(sort $(wildcard libbb/*.c))
applet_src := $(sort $(wildcard applets/*.c))
applets := $(applet_src:applets/%.c=%)

# Set when "make APPLET" calls itself
box := $(or $(SINGLE),warmbox)
single_flags = -DSINGLE_APPLET_NAME='"$(SINGLE)"' \
	-DSINGLE_APPLET_MAIN=$(subst -,_,$(SINGLE))_main \
	-DSINGLE_APPLET_USAGE=$(subst -,_,$(SINGLE))_usage

# These compile nothing themselves, so they need no configuration.
no_build := help clean distclean %config $(applets) sweep sizes sizecheck sizedoc docs
ifneq ($(filter-out $(no_build),$(goals)),)
include $O/gen/config.mk
endif

enabled = $(or $(SINGLE),$(foreach a,$(applets),$(if $(CONFIG_$(call symbol,$a)),$a)))
objects := $(patsubst %.c,$O/obj/%.o,$(libbb_src) $(enabled:%=applets/%.c))

.PHONY: all
all: $O/$(box) ## build warmbox (the default)

# --- generated files

headers = $(addprefix $O/gen/,applets.h opts.h)
generators = $(addprefix scripts/,update.sh usage.awk gen-applets.awk gen-opts.awk)
# $(call tags,SCRIPT,ARGUMENTS) - what a script makes of the tags in applets/
tags = $(awk) -f scripts/usage.awk -f scripts/$(1).awk $(2) $(applet_src) /dev/null
# $(call kconfig,FORM,ARGUMENTS)
kconfig = $(awk) -f scripts/kconfig.awk -v out=$(1) $(2) Config.in $O/gen/Config.applets

# One stamp a group: the files themselves keep their time when nothing in them changed.
$O/gen/.sources: FORCE
	$(Q)$(update) $@ echo $(applet_src) $(libbb_src)
$O/gen/.applets: $O/gen/.sources $(applet_src) $(generators)
	$(Q)$(call need,$(AWK),mawk)
	$(say) GEN $O/gen
	$(Q)$(update) $O/gen/Config.applets sed -n 's|^//config:||p' $(applet_src) /dev/null
	$(Q)$(update) $O/gen/applets.h $(call tags,gen-applets)
	$(Q)$(update) $O/gen/opts.h $(call tags,gen-opts)
	$(Q)touch $@
$O/gen/Config.applets $(headers): $O/gen/.applets ; @:

$O/.config: | $O/gen/Config.applets
	@echo "no $@: taking configs/full_defconfig"
	$(Q)$(update) $@ $(call kconfig,config) configs/full_defconfig

$O/gen/.config: $O/.config Config.in $O/gen/Config.applets scripts/kconfig.awk
	$(Q)$(update) $O/gen/autoconf.h $(call kconfig,header) $O/.config
	$(Q)$(update) $O/gen/config.mk $(call kconfig,make) $O/.config
	$(Q)touch $@
$O/gen/autoconf.h $O/gen/config.mk: $O/gen/.config ; @:

# Packing takes long, so it is done only when a text changed.
$O/gen/.usage: $O/gen/.config $O/gen/.applets scripts/gen-usage.awk
	$(Q)$(update) $O/gen/usage.txt $(call tags,gen-usage,$O/gen/config.mk)
	$(Q)touch $@
$O/gen/usage.txt: $O/gen/.usage ; @:
$O/gen/usage.h: $O/gen/usage.txt scripts/pack-usage.awk
	$(Q)$(update) $@ $(awk) -f scripts/pack-usage.awk $<
	$(Q)touch $@

# --- the box

# Changes when the way of compiling does; fails early where there is no way.
$O/obj/.flags: FORCE
	$(Q)$(call need,$(firstword $(CC)),$(cc_package))
	$(Q)$(update) $@ echo '$(subst ','\'',$(CC) $(cpp_flags) $(cc_flags) $(ld_flags))'
	$(Q)test $O/obj/.works -nt $@ || { $(or $(note),:); \
		mkdir -p $O/obj && echo 'int main(void) { return 0; }' | \
		$(CC) $(cc_flags) $(ld_flags) -x c -o $O/obj/.works -; } || \
		{ echo "make: '$(CC)' cannot link a program;" \
		"is its libc there (Debian: libc6-dev, musl-tools)?" >&2; exit 1; }

$O/obj/%.o: %.c $O/obj/.flags $O/gen/autoconf.h $(headers)
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(cpp_flags) $(cc_flags) -MMD -MP -c -o $@ $<

$O/obj/libbb/appletlib.o: $O/gen/usage.h

$O/$(box)_unstripped: $(objects) $O/gen/.sources
	$(say) LD $@
	$(Q)$(CC) $(cc_flags) $(ld_flags) -Wl,-Map=$@.map -o $@ $(objects)

$O/$(box): $O/$(box)_unstripped
	$(Q)cp $< $@.new
ifeq ($(SAN),)
	$(Q)$(call need,$(STRIP),binutils)
	$(Q)$(STRIP) -s -R .comment -R .note.gnu.property $@.new
endif
	$(Q)mv -f $@.new $@

include $(wildcard $(objects:.o=.d))

# Its own configuration, with all others off, is under $O/obj.
.PHONY: $(applets)
others = $(foreach a,$(filter-out $@,$(applets)),$(call symbol,$a)=n)
$(applets): $O/.config $O/gen/Config.applets ## the applet alone, without the table of names
	$(Q)$(update) $O/obj/$@/.config \
		$(call kconfig,config,-v set="$(others) $(call symbol,$@)=y") $O/.config
	$(Q)$(MAKE) O=$O/obj/$@ SINGLE=$@ all
	$(Q)cp $O/obj/$@/$@ $O/$@

# --- configuration

kconf = $(call need,kconfig-$(1),kconfig-frontends-nox); \
	cd $O && srctree=$(CURDIR) kconfig-$(1)

.PHONY: menuconfig nconfig oldconfig olddefconfig savedefconfig defconfig
.PHONY: allnoconfig allyesconfig randconfig
menuconfig: $O/gen/Config.applets ## choose in menus
	$(Q)$(call kconf,mconf) Config.in
nconfig: $O/gen/Config.applets ## choose in menus, another look
	$(Q)$(call kconf,nconf) Config.in
oldconfig: $O/gen/Config.applets ## ask about symbols that .config does not have
	$(Q)$(call kconf,conf) --$@ Config.in
olddefconfig: $O/.config $O/gen/Config.applets ## give such symbols their defaults
	$(Q)$(update) $O/.config $(call kconfig,config) $O/.config
allnoconfig: $O/gen/Config.applets ## everything off
allyesconfig: $O/gen/Config.applets ## everything on
randconfig: $O/gen/Config.applets ## anything; the same again with KCONFIG_SEED=...
allnoconfig allyesconfig randconfig:
	$(Q)$(call kconf,conf) -s --$@ Config.in
savedefconfig: $O/gen/Config.applets ## write what differs from the defaults to ./defconfig
	$(Q)$(call kconf,conf) --savedefconfig=defconfig Config.in
defconfig: full_defconfig ## full_defconfig
%_defconfig: $O/gen/Config.applets ## take configs/NAME_defconfig
	@test -f configs/$@ || \
		{ echo "make: no configs/$@; there are:" configs/*_defconfig >&2; exit 1; }
	$(Q)$(update) $O/.config $(call kconfig,config) configs/$@

# --- use

links = $$(cat $O/gen/links)
bindir = '$(DESTDIR)$(PREFIX)/bin'
mandir = '$(DESTDIR)$(PREFIX)/share/man/man1'
completiondir = '$(DESTDIR)$(PREFIX)/share/bash-completion/completions'
install = sh scripts/install.sh

$O/gen/links: $O/gen/config.mk $O/gen/.applets scripts/gen-links.awk
	$(Q)$(update) $@ $(call tags,gen-links,$O/gen/config.mk)
$O/gen/man/.made: $O/gen/.applets $O/gen/.config $O/gen/links scripts/gen-man.awk Makefile
	$(Q)rm -rf $(@D)
	$(Q)for page in warmbox $(links); do \
		$(update) $(@D)/$$page.1 $(call tags,gen-man,-v page=$$page -v version=$(VERSION) \
			-v date=$(RELEASED) $O/gen/config.mk) || exit; \
	done
	$(Q)touch $@
$O/gen/warmbox.bash: $O/gen/config.mk $O/gen/.applets scripts/gen-completion.awk
	$(Q)$(update) $@ $(call tags,gen-completion,$O/gen/config.mk)
$O/gen/applets.md: $O/gen/.applets scripts/gen-docs.awk
	$(Q)$(update) $@ $(call tags,gen-docs)

.PHONY: install install-man install-completion uninstall man completion docs check bench
install: $O/warmbox $O/gen/links ## to DESTDIR/PREFIX/bin, with LINKS=symbolic or hard
	$(Q)$(install) $(LINKS) $(bindir) $O/warmbox $(links)
install-man: man ## manual pages to DESTDIR/PREFIX/share/man/man1
	$(Q)$(install) files $(mandir) $O/gen/man/*.1
install-completion: completion ## for bash, to DESTDIR/PREFIX/share/bash-completion
	$(Q)$(install) symbolic $(completiondir) $O/gen/warmbox.bash $(links)
uninstall: $O/gen/links ## remove all that these three install
	$(Q)$(install) remove $(bindir) warmbox $(links)
	$(Q)$(install) remove $(completiondir) warmbox $(links)
	$(Q)$(install) remove $(mandir) warmbox.1 $$(sed 's/$$/.1/' $O/gen/links)
man: $O/gen/man/.made ## manual pages in gen/man
	@echo "man -l $O/gen/man/warmbox.1 shows one; there are: $$(cd $O/gen/man && echo *.1)"
completion: $O/gen/warmbox.bash ## completion for bash in gen/warmbox.bash
docs: $O/gen/applets.md ## docs/applets.md
	$(Q)mkdir -p docs && cp $< docs/applets.md
check: $O/warmbox ## run the tests; T='NAME...' for some of them
	$(Q)WARMBOX=$(abspath $O/warmbox) CONFIG=$(abspath $O/.config) sh testsuite/runtest $(T)
bench: $O/warmbox ## measure beside others, as root; B='NAME...' for some of it
	$(Q)WARMBOX=$(abspath $O/warmbox) sh testsuite/bench/run $(B)
sweep: ## build and test every configuration with every compiler; takes hours
	$(Q)O=$O/obj/sweep MAKE='$(MAKE)' sh scripts/sweep.sh

# --- size

sizes_sh = O=$O/obj/sizes MAKE='$(MAKE)' CC='$(CC)' sh scripts/sizes.sh

.PHONY: baseline bloatcheck sizes sizecheck sizedoc sweep
baseline: $O/warmbox ## keep this build for bloatcheck
	$(Q)cp $O/warmbox_unstripped $O/warmbox_baseline
bloatcheck: $O/warmbox ## which symbols and sections grew since the baseline
	@test -f $O/warmbox_baseline || \
		{ echo "make: no $O/warmbox_baseline; 'make baseline' keeps one" >&2; exit 1; }
	$(Q)NM=$(NM) SIZE=$(SIZE) sh scripts/bloatcheck.sh $O/warmbox_baseline $O/warmbox_unstripped
sizes: ## measure every configs/*, and write scripts/sizes.baseline
	$(Q)$(sizes_sh) write
sizecheck: ## fail where one has grown more than 64 bytes since that was written
	$(Q)$(sizes_sh) check
sizedoc: ## docs/size.md: the cost of every applet and feature
	$(Q)$(sizes_sh) doc

# --- the rest

.PHONY: clean distclean help
clean: ## remove what was built
	$(Q)rm -rf $O/obj $O/gen $O/warmbox $O/warmbox_unstripped* $(applets:%=$O/%)
distclean: clean ## and the configuration, and the baseline
	$(Q)rm -rf $O/.config $O/.config.old $O/defconfig $O/warmbox_baseline
help: ## this list
	@$(AWK) -F ':.*## ' '/^[$$%a-z_()-]+:.*## / { \
		sub(/[$$][(]applets[)]/, "APPLET", $$1); sub(/%/, "NAME", $$1); \
		printf "%-18s  %s\n", $$1, $$2 }' Makefile
	@echo
	@echo 'CROSS_COMPILE=arm-linux-gnueabihf-  CC=scripts/musl-clang  O=builddir  V=1'
	@echo 'WERROR=1  SAN=address,undefined  CFLAGS=-Os  EXTRA_CFLAGS=  EXTRA_LDFLAGS='
	@echo 'PREFIX=/usr/local  DESTDIR=  LINKS=symbolic'

.DEFAULT:
	@echo "make: nothing to do for '$@'; 'make help' lists the targets" >&2; exit 2

endif
.DELETE_ON_ERROR:
.PHONY: FORCE
FORCE:
