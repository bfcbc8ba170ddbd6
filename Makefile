# `make help` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all siege release bench format lint docs test-tsan test-asan check-core check-webp check-png fuzz fuzz-proof \
	soak crash clean test-arm64 behaviours behaviours-proof api-check api-record man install uninstall \
	start-time sizes

help: ## lists the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-16s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## installs the system packages that are missing (root or sudo)
	@scripts/setup

demo: ## opens the gallery; without a display it runs on a virtual one
	@scripts/demo

test: ## builds and runs all suites and examples; Benchmarks and Fuzz have targets of their own
	@scripts/test

test-all: ## make test and what needs more: other decoders, sanitizers, emulators, planted faults (hours)
	@scripts/test-all

siege: setup ## attacks a release build of the example server; fails when a limit is missed (ATTACK=photos for one)
	@scripts/siege $(ATTACK)

check-core: setup ## builds a package on the core alone, without libwebp's and GTK's headers
	@scripts/check-core-alone

# Swift's libraries are linked into the tool, and the C++ library that they use: it starts in six tenths of
# the time, and runs where no Swift is. A linker takes the archive where no shared library lies beside it.
ARCHIVES := build/archives
TOOL := -c release --static-swift-stdlib --package-path CommandLine -Xswiftc -L$(CURDIR)/$(ARCHIVES)

release: setup ## builds the command line tool, bin/kingfisher
	@mkdir -p $(ARCHIVES)
	@ln -sf "$$(clang -print-file-name=libstdc++.a)" $(ARCHIVES)
	swift build $(TOOL) --product kingfisher
	@mkdir -p bin
	@install -s "$$(swift build $(TOOL) --show-bin-path)/kingfisher" bin/kingfisher
	@echo "release: bin/kingfisher, $$(du -h bin/kingfisher | cut -f1)"

start-time: release ## fails when the tool takes more than 10 ms to its --help
	@scripts/start-time

sizes: release ## prints what each product costs where it is installed (docs/platforms.md; some minutes)
	@scripts/sizes

man: release ## writes the tool's manual pages to build/man
	@rm -rf build/man
	@scripts/manual bin/kingfisher build/man
	@echo "man: build/man"

# So that nothing is built as root after `make release man`.
install: ## installs tool, manual, completions (PREFIX=/usr/local, DESTDIR); builds only if bin or build/man is missing
	@[ -x bin/kingfisher ] && [ -d build/man ] || $(MAKE) man
	@scripts/install $(or $(PREFIX),/usr/local)

uninstall: ## removes what `make install` has put under PREFIX
	@scripts/install --uninstall $(or $(PREFIX),/usr/local)

bench: ## compares with other libraries (ONLY=NAME,NAME for some rows), or with an earlier commit (AGAINST=COMMIT)
	@scripts/bench

format: ## formats all Swift files in place
	git ls-files -z '*.swift' | xargs -0 swift format -i

lint: ## fails where `make format` would change something, or a comment or a page is wider than 110 columns
	@scripts/check-lines
	git ls-files -z '*.swift' | xargs -0 swift format lint --strict

test-tsan: setup ## runs transport, storage and manager suites under Thread Sanitizer
	@scripts/test-sanitizer thread KingfisherTransportTests KingfisherStorageTests KingfisherTests

test-asan: setup ## runs all suites, windows included, under Address Sanitizer
	@scripts/test-sanitizer address KingfisherImageTests KingfisherStorageTests KingfisherTransportTests \
		KingfisherTests KingfisherWebPTests KingfisherGTKTests

test-arm64: ## checks the pixel loops cross-compiled for arm64 under qemu, and here under sanitizers
	@scripts/test-arm64

docs: setup ## builds the documentation in build/docs; fails when less than 95 % of the public API has a comment
	swift build
	@scripts/docs

fuzz: setup ## fuzzes what reads untrusted bytes under Address Sanitizer (SECONDS=60, TARGET=webp for one)
	@scripts/fuzz $(or $(SECONDS),60) $(TARGET)

fuzz-proof: setup ## fails unless the fuzzer finds a bug planted in Swift and one in C
	@scripts/fuzz --proof

check-webp: setup ## compares WebP decoding with dwebp and libwebp's player, on fixtures and wallpapers
	@scripts/references/check_webp

check-png: ## compares PNG encoding with Pillow and libvips on all fixtures
	@ONLY=png-encode scripts/bench
	@"$${XDG_CACHE_HOME:-$$HOME/.cache}/kingfisher-bench/venv/bin/python" scripts/references/check_png

behaviours: ## says which behaviours have a test that names them, and fails if one has none (N=M-16 for its tests)
	@scripts/behaviours/check $(N)

behaviours-proof: setup ## disables behaviours one by one, and fails unless each turns a test red (some minutes)
	@scripts/behaviours/prove $(N)

api-check: setup ## fails on a change of the public API that docs/api does not have; lists what is missing
	swift build
	@scripts/api/run check

api-record: setup ## writes the public API to docs/api
	swift build
	@scripts/api/run record

soak: setup ## runs what takes long: 100,000 requests, 20,000 random cancels and views, 50,000 damaged files
	@scripts/soak

crash: setup ## breaks the disk cache: 200 rounds of killed processes, simulated power cuts
	@scripts/crash

clean: ## removes what was built
	rm -rf .build .build-* .build_* build bin \
		{CommandLine,Benchmarks,Fuzz,Siege,Examples/*,Extensions/*}/{.build,Package.resolved}
