# `make help` lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup demo serve test test-busy test-all siege release bench format lint docs test-tsan test-asan check-core \
	check-webp check-png check-s3 check-page fuzz fuzz-proof soak crash clean test-arm64 test-arm64-suites behaviours behaviours-proof api-check \
	api-record instructions man install uninstall release-gallery install-gallery uninstall-gallery \
	growth release-first-image release-server check-deployment check-gallery check-isolation test-desktop test-shared test-shared-cluster simulate fleet-demo \
	fleet-proof test-valkey slow-suites start-time sizes bench-rows check-debian13 check-sid deb check-deb

help: ## lists the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-16s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## installs the system packages that are missing (root or sudo)
	@scripts/setup

demo: ## opens the gallery, on a virtual display if there is none
	@scripts/demo

# The build folder of packages with the trait SharedCache, as in scripts/test.
serve: setup ## starts the image server on loopback, with a key that it makes, and prints three signed URLs
	swift build -c release --disable-build-manifest-caching --scratch-path .build-shared --package-path Service
	@exec .build-shared/release/kingfisher-server --development --folder $(PHOTOS)

check-page: setup ## uses the page of the server for developers in headless Chromium; screenshots are in build/page
	@command -v chromium >/dev/null && /usr/bin/python3 -c 'import websocket' || scripts/apt-install chromium python3-websocket
	swift build --disable-build-manifest-caching --scratch-path .build-shared --package-path Service --product kingfisher-server
	@Service/Tests/page/check .build-shared/debug/kingfisher-server $(PHOTOS)

PHOTOS := Sources/Core/KingfisherTestSupport/Fixtures/Photos

test: ## builds and runs all suites and examples, and a row of the benchmarks; Fuzz has a separate target
	@scripts/test

slow-suites: setup ## runs each suite alone, and fails if one takes more than 5 s without a reason
	swift build --build-tests
	@xvfb-run -a -s '-screen 0 1280x1024x24 -noreset' scripts/slow-suites

test-busy: setup ## runs the suites beside six busy loops, and those that fail three times in a row
	@scripts/test-busy

test-all: ## runs make test, then other decoders, sanitizers, emulators and planted faults (hours)
	@scripts/test-all

check-debian13: ## runs make test in Debian 13, as root and as an ordinary user (root; packages are installed in a chroot)
	@scripts/check-debian trixie
	@scripts/check-debian trixie --user
	@mkdir -p build && git rev-parse HEAD >build/debian13-passed

check-sid: ## runs make test in Debian sid with its package of Swift (root; packages are installed in a chroot)
	@scripts/check-debian sid

siege: setup ## attacks a release build of kingfisher-server; fails if it exceeds a limit (ATTACK=photos runs one)
	@Siege/run $(ATTACK)

check-core: setup ## builds a package on the core alone, without the headers of libwebp and GTK
	@scripts/check-core-alone

# The tool is linked statically with Swift's libraries and libstdc++: it starts in 60 % of the time and runs
# without an installed Swift. The linker uses the archive if its folder has no shared library.
ARCHIVES := build/archives
TOOL := -c release --disable-build-manifest-caching --static-swift-stdlib --package-path CommandLine \
	-Xswiftc -L$(CURDIR)/$(ARCHIVES)

# With the options and the build folder of the tool, where the library is built already.
GALLERY := $(subst --package-path CommandLine,--package-path Examples/Gallery --scratch-path CommandLine/.build,$(TOOL))

# In the build folder of `make serve`.
SERVER := $(subst --package-path CommandLine,--package-path Service --scratch-path .build-shared,$(TOOL))

$(ARCHIVES)/libstdc++.a:
	@mkdir -p $(ARCHIVES)
	@ln -sf "$$(clang -print-file-name=libstdc++.a)" $(ARCHIVES)

release: setup $(ARCHIVES)/libstdc++.a ## builds the command line tool, bin/kingfisher, and the decoder that it starts
	swift build $(TOOL) --product kingfisher
	@mkdir -p bin
	@install -s "$$(swift build $(TOOL) --show-bin-path)"/kingfisher{,-decoder} bin
	@echo "release: bin/kingfisher, $$(du -h bin/kingfisher | cut -f1)"

start-time: release ## fails if `kingfisher --help` takes 1.6 times the CPU time of empty programs with Foundation and libcurl
	@scripts/start-time

sizes: release ## prints the installed size of each product for docs/platforms.md (some minutes)
	@scripts/sizes

man: release ## writes the tool's manual pages to build/man
	@rm -rf build/man
	@scripts/manual bin/kingfisher build/man
	@echo "man: build/man"

# Builds nothing after `make release man`, so that root need not build.
install: ## installs tool, manual and completions (PREFIX=/usr/local, DESTDIR); builds them only if they are missing
	@[ -x bin/kingfisher ] && [ -d build/man ] || $(MAKE) man
	@scripts/install $(or $(PREFIX),/usr/local)

uninstall: ## removes the files that `make install` wrote under PREFIX
	@scripts/install --uninstall $(or $(PREFIX),/usr/local)

release-gallery: setup $(ARCHIVES)/libstdc++.a ## builds the gallery for installation, bin/kingfisher-gallery
	swift build $(GALLERY) --product gallery
	@mkdir -p bin
	@install -s "$$(swift build $(GALLERY) --show-bin-path)/gallery" bin/kingfisher-gallery
	@echo "release-gallery: bin/kingfisher-gallery, $$(du -h bin/kingfisher-gallery | cut -f1)"

install-gallery: ## installs gallery, desktop file, icons and metainfo (PREFIX=/usr/local, DESTDIR); builds only if missing
	@[ -x bin/kingfisher-gallery ] || $(MAKE) release-gallery
	@scripts/install --gallery $(or $(PREFIX),/usr/local)

uninstall-gallery: ## removes the files that `make install-gallery` wrote under PREFIX
	@scripts/install --gallery --uninstall $(or $(PREFIX),/usr/local)

# For the row start-image of `make bench`, also in the build folder of the tool.
FIRST_IMAGE := $(subst --package-path CommandLine,--package-path Benchmarks --scratch-path CommandLine/.build,$(TOOL))

release-first-image: setup $(ARCHIVES)/libstdc++.a
	swift build $(FIRST_IMAGE) --product FirstImage
	@mkdir -p bin
	@install -s "$$(swift build $(FIRST_IMAGE) --show-bin-path)/FirstImage" bin/first-image

release-server: setup $(ARCHIVES)/libstdc++.a ## builds the image server for installation, bin/kingfisher-server, and its decoder
	swift build $(SERVER) --product kingfisher-server
	@mkdir -p bin
	@install -s "$$(swift build $(SERVER) --show-bin-path)"/kingfisher-{server,decoder} bin
	@echo "release-server: bin/kingfisher-server, $$(du -h bin/kingfisher-server | cut -f1)"

check-deployment: release release-server ## runs the server as its service file says, without systemd, and behind nginx.conf (root)
	@Service/Tests/deployment/check

deb: man release-gallery release-server ## builds the Debian packages of tool, gallery and server for this system, in build/deb
	@scripts/deb

check-deb: deb ## runs lintian, and installs, runs and removes the packages in Debian 12 and 13 (root)
	@scripts/check-deb

check-gallery: release-gallery ## installs the gallery in a temporary folder, validates its files and runs it there
	@Tests/Desktop/check-gallery

test-desktop: ## walks through the gallery under Wayland: scales, renderers, appearances, text directions
	@Tests/Desktop/test-desktop

bench: ## compares with other libraries (ONLY=NAME,NAME runs some rows) or an earlier commit (AGAINST=COMMIT)
	@scripts/bench

bench-rows: ## runs each row of make bench once; fails if one does not run (ONLY=NAME,NAME)
	@ROUNDS=1 scripts/bench

growth: setup ## measures cost against work, and writes the tables of docs/growth.md (some 15 minutes)
	swift build -c release --package-path Benchmarks --product Growth
	@scripts/growth

format: ## formats all Swift files in place
	git ls-files -z '*.swift' | xargs -0 swift format -i

lint: setup ## runs every check that needs no build: layout, words, scripts, imports, versions, figures, behaviours
	@scripts/lint

test-tsan: setup ## runs transport, storage and manager suites under Thread Sanitizer
	@scripts/test-sanitizer thread KingfisherConcurrencyTests KingfisherTransportTests KingfisherStorageTests KingfisherTests \
		KingfisherImageTests.JPEGBaselineDecoderTests KingfisherImageTests.JPEGDifferentialTests

test-asan: setup ## runs all suites, including windows, under Address Sanitizer
	@scripts/test-sanitizer address KingfisherImageTests KingfisherStorageTests KingfisherTransportTests \
		KingfisherTests KingfisherIsolationTests KingfisherGTKTests \
		$(shell scripts/formats --names | sed 's/.*/Kingfisher&Tests/')

test-shared: setup ## tests KingfisherSharedCache with redis-server and with servers that fail
	@scripts/test-shared build
	@scripts/test-shared run

test-shared-cluster: setup ## tests KingfisherSharedCache on a cluster of six redis-servers
	@Tests/Fleet/cluster

simulate: setup ## prints the tables of docs/scale.md: fleets of 10 to 100 machines on a simulated clock (TABLE=leases)
	@Tests/Fleet/simulate $(TABLE)

fleet-demo: setup ## two servers over one cluster share their images while a primary is killed; prints who made what
	@Tests/Fleet/run demo

fleet-proof: setup ## ten servers over real engines, which are also killed, slow, full and damaged (QUICK=1: three servers)
	@Tests/Fleet/run proof $(if $(QUICK),--quick)

test-valkey: setup ## runs test-shared and, with reduced counts, fleet-proof on Valkey, which PyPI has
	@scripts/test-shared build
	@engine=$$(Tests/Fleet/valkey) && export KINGFISHER_ENGINE=$$engine && scripts/test-shared run && Tests/Fleet/run proof --quick

test-arm64: ## checks the pixel loops for arm64 under qemu, and for this machine under sanitizers
	@scripts/test-arm64

test-arm64-suites: ## builds and runs suites for arm64 under qemu (root; packages in a chroot; MODULES=KingfisherImage)
	@scripts/test-arm64 --suites $(MODULES)

docs: setup ## builds the documentation in build/docs; fails if less than 95 % of the public API is documented
	swift build
	@scripts/docs

fuzz: setup ## fuzzes the code that reads untrusted bytes under Address Sanitizer (SECONDS=60, TARGET=webp)
	@scripts/fuzz $(or $(SECONDS),60) $(TARGET)

fuzz-proof: setup ## fails unless the fuzzer finds one bug planted in Swift and one in C
	@scripts/fuzz --proof

check-isolation: setup ## tests decoder processes as root, as a user, without namespaces and as in Docker
	swift build --build-tests
	@Tests/Environment/check-isolation

check-webp: setup ## compares WebP decoding with dwebp and libwebp's player, on fixtures and wallpapers
	@Tests/Fixtures/generate/check_webp

check-png: ## compares PNG encoding with Pillow and libvips on all fixtures
	@ROUNDS=1 ONLY=png-encode scripts/bench
	@"$${XDG_CACHE_HOME:-$$HOME/.cache}/kingfisher-bench/venv/bin/python" Tests/Fixtures/generate/check_png

check-s3: setup ## compares requests to S3 with botocore, and loads objects from moto, which verifies signatures (PyPI)
	@Tests/Fixtures/generate/s3_requests.py --check
	@Tests/Environment/check-s3

behaviours: ## counts behaviours with a test, and fails if one has none (N=M-16 lists its tests)
	@scripts/behaviours/check $(N)

behaviours-proof: setup ## disables behaviours one by one, and fails if no test notices (some minutes)
	@scripts/behaviours/prove $(N)

api-check: setup ## fails if the public API differs from docs/api; lists missing declarations
	swift build
	@scripts/api/run check

api-record: setup ## writes the public API to docs/api
	swift build
	@scripts/api/run record

instructions: setup ## counts the instructions of 22 kernels and paths; fails at more than 3 % above the record
	@scripts/instructions

soak: setup ## runs the long tests: 300,000 requests, 20,000 random cancels and views, 50,000 damaged files
	@scripts/soak

crash: setup ## tests the disk cache with 10,800 killed processes and power cuts, and 10,000 killed decoders
	@scripts/crash

clean: ## removes all build output
	rm -rf .build .build-* .build_* build bin \
		{CommandLine,Benchmarks,Fuzz,Siege,Examples/*,Extensions/*}/{.build,Package.resolved}
