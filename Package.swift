// swift-tools-version: 6.2
import PackageDescription

/// Parts to leave out, for example if their system libraries are missing: GTK and the names of formats, as in
/// `KINGFISHER_WITHOUT=GTK,WebP swift build`.
let without = (Context.environment["KINGFISHER_WITHOUT"] ?? "").uppercased().split(separator: ",")
    .map(String.init)

/// A format that is a product: `Kingfisher` and its name.
struct Format {
    enum Library {
        /// Linked, with this name in pkg-config.
        case linked(String)
        /// Loaded at first use. To build, the headers of these names in pkg-config are needed, or, if the C
        /// target declares the functions, nothing; then this is the name of the file, for tests.
        case loaded(String)
        /// None: the codec is written in Swift.
        case none
    }

    let name: String
    let library: Library
    /// The C target.
    let module: String?
    /// The packages of the library on Debian and Fedora, separated by spaces.
    let apt: String, yum: String
    /// Other modules that it imports, besides `KingfisherCodecSupport`.
    let imports: [Target.Dependency]

    init(
        _ name: String, _ library: Library, _ module: String? = nil, _ apt: String = "", _ yum: String = "",
        imports: [Target.Dependency] = []
    ) {
        (self.name, self.library, self.module, self.apt, self.yum) = (name, library, module, apt, yum)
        self.imports = imports
    }

    var product: String { "Kingfisher\(name)" }
    var isLoaded: Bool { if case .loaded = library { true } else { false } }
}

/// The table of formats, together with `FormatCatalog` in code. `scripts/formats` reads these lines.
let formats: [Format] = [
    Format(
        "AVIF", .loaded("libavif dav1d"), "CAVIF", "libavif-dev libdav1d-dev", "libavif-devel libdav1d-devel",
        imports: ["KingfisherISOBoxes"]),
    Format(
        "HEIC", .loaded("libheif libde265"), "CHEIF", "libheif-dev libde265-dev",
        "libheif-devel libde265-devel", imports: ["KingfisherISOBoxes"]),
    Format("JPEGXL", .loaded("libjxl"), "CJPEGXL", "libjxl-dev", "libjxl-devel"),
    Format("SVG", .loaded("librsvg-2.so.2"), "CRSVG", "librsvg2-2", "librsvg2", imports: ["CZlib"]),
    Format(
        "TIFF", .loaded("libtiff-4"), "CTIFF", "libtiff-dev", "libtiff-devel",
        imports: ["KingfisherTIFFStructure"]),
    Format("WebP", .linked("libwebp"), "CWebP", "libwebp-dev", "libwebp-devel", imports: ["Kingfisher"]),
    Format("BMP", .none),
    Format("PNM", .none),
    Format("RAW", .none, imports: ["KingfisherISOBoxes", "KingfisherTIFFStructure"]),
].filter { !without.contains($0.name.uppercased()) }

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

func system(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

func swift(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, resources: [Resource] = []
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, resources: resources, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["KingfisherTestSupport", "TestHelpers"],
        swiftSettings: settings)
}

/// Gives a target the modules of formats, and a condition such as `WITH_WEBP` for each.
func with(_ formats: [Format], _ target: Target) -> Target {
    target.dependencies += formats.map { .byName(name: $0.product) }
    target.swiftSettings = settings + formats.map { .define("WITH_\($0.name.uppercased())") }
    return target
}

/// Targets of a folder of `Sources`, and their tests.
func folder(_ name: String, _ targets: [Target]) -> [Target] {
    for target in targets where target.path == nil && target.type != .test {
        target.path = "Sources/\(name)/\(target.name)"
    }
    return targets
}

let systemLibraries: [Target] = [
    system("CSPNG", "spng", "libspng-dev"),
    system("CISAL", "libisal", "libisal-dev"),
    system("CZlib", "zlib", "zlib1g-dev"),
    system("CLCMS", "lcms2", "liblcms2-dev"),
    system("CSystemJPEG", "libjpeg", "libjpeg-dev"),
    system("CCurl", "libcurl", "libcurl4-openssl-dev"),
    system("CCrypto", "libcrypto", "libssl-dev"),
    system("CSSL", "libssl", "libssl-dev"),
    system("CXXHash", "libxxhash", "libxxhash-dev"),
    .systemLibrary(name: "CLinux"),
]

let engines: [Target] = [
    .target(name: "CKernels"),
    .target(name: "CMapping"),
    .target(name: "CJPEG", dependencies: ["CSystemJPEG"]),
    swift("KingfisherImage", ["CKernels", "CJPEG", "CISAL", "CSPNG", "CLCMS", "CLinux"]),
    swift("KingfisherConcurrency", []),
    swift("KingfisherDigests", ["CCrypto"]),
    swift(
        "KingfisherStorage", ["KingfisherConcurrency", "KingfisherDigests", "CLinux", "CMapping", "CXXHash"]),
    swift(
        "KingfisherTransport",
        ["KingfisherConcurrency", "KingfisherDigests", "CCrypto", "CCurl", "CSSL", "CZlib"]),
    .target(
        name: "CKernelsCross", dependencies: ["CKernels"], path: "Tests/CKernelsCross", exclude: ["main.c"]),
    .target(name: "JPEGWriter", dependencies: ["CSystemJPEG"], path: "Tests/JPEGWriter"),
    tests("KingfisherImageTests", ["KingfisherImage", "CKernels", "CKernelsCross", "JPEGWriter"]),
    program("CacheWorker", ["KingfisherStorage"], path: "Tests/CacheWorker"),
    tests("KingfisherStorageTests", ["KingfisherStorage", "CacheWorker", "CLinux"]),
    tests("KingfisherTransportTests", ["KingfisherTransport", "CCurl", "CLinux", "CZlib"]),
    tests("KingfisherConcurrencyTests", ["KingfisherConcurrency"]),
]

let core: [Target] = [
    swift("KingfisherCodecSupport", ["KingfisherImage"]),
    swift(
        "Kingfisher",
        [
            "KingfisherConcurrency", "KingfisherDigests", "KingfisherImage",
            "KingfisherStorage", "KingfisherTransport",
        ]),
    swift("KingfisherService", ["Kingfisher", "KingfisherDigests", "KingfisherImage"]),
    swift("KingfisherTestSupport", ["Kingfisher", "CZlib", "CSSL"], resources: [.copy("Fixtures")]),
    swift(
        "TestHelpers", ["Kingfisher", "KingfisherTestSupport", "KingfisherImage"], path: "Tests/TestHelpers"),
    tests("KingfisherTests", ["Kingfisher"]),
    tests("KingfisherServiceTests", ["KingfisherService"]),
    // Without upcoming features, like a new package of a user.
    .testTarget(
        name: "CompatibilityTests", dependencies: ["Kingfisher", "KingfisherTestSupport", "TestHelpers"]),
]

/// The C target, codec and tests of each format.
var codecs: [Target] = [
    .target(name: "CLibraryLoader"),
    swift("KingfisherISOBoxes", ["KingfisherCodecSupport"]),
    swift("KingfisherTIFFStructure", ["KingfisherCodecSupport"]),
]
for format in formats {
    let module = format.module.map { [Target.Dependency(stringLiteral: $0)] } ?? []
    switch (format.library, format.module) {
    case (.linked(let library), let name?): codecs.append(system(name, library, format.apt))
    case (.loaded, let name?): codecs.append(.target(name: name, dependencies: ["CLibraryLoader"]))
    default: break
    }
    codecs.append(swift(format.product, ["KingfisherCodecSupport"] + format.imports + module))
    codecs.append(
        tests(
            "\(format.product)Tests",
            [.byName(name: format.product), "Kingfisher", "KingfisherCodecSupport"] + module
                + (format.isLoaded ? ["LazyCodecs"] : [])))
}

codecs.append(with(formats, swift("KingfisherFormats", ["KingfisherImage"])))
codecs.append(tests("KingfisherFormatsTests", ["KingfisherFormats", "KingfisherImage"]))

/// Whether the decoder has videos, which needs the headers of FFmpeg.
let hasVideo = !without.contains("VIDEO")

/// Frames of videos: FFmpeg is loaded by decoder processes only.
let video: [Target] =
    [
        swift(
            "KingfisherVideo",
            ["Kingfisher", "KingfisherImage", "KingfisherIsolation", "KingfisherTransport"])
    ]
    + (hasVideo
        ? [
            tests(
                "KingfisherVideoTests",
                ["KingfisherVideo", "KingfisherIsolation", "kingfisher-decoder", "HostileDecoder"]),
            .target(name: "CFFmpeg", dependencies: ["CLibraryLoader"], path: "Sources/Formats/CFFmpeg"),
            swift(
                "KingfisherFFmpeg", ["CFFmpeg", "KingfisherImage", "KingfisherIsolation"],
                path: "Sources/Formats/KingfisherFFmpeg"),
        ] : [])

func withVideo(_ target: Target) -> Target {
    guard hasVideo else { return target }
    target.dependencies.append("KingfisherFFmpeg")
    target.swiftSettings = settings + [.define("WITH_VIDEO")]
    return target
}

/// Decoding in processes, and the program of these.
let isolation: [Target] = [
    // System calls of the sandbox; no library.
    .target(name: "CSandbox"),
    swift("KingfisherIsolation", ["Kingfisher", "KingfisherImage", "KingfisherDigests", "CSandbox"]),
    withVideo(
        program(
            "kingfisher-decoder", ["KingfisherFormats", "Kingfisher", "KingfisherIsolation"],
            path: "Sources/Programs/kingfisher-decoder")),
    .target(name: "CHostile", path: "Tests/CHostile"),
    program(
        "HostileDecoder", ["CHostile", "KingfisherFormats", "KingfisherIsolation", "KingfisherImage"],
        path: "Tests/HostileDecoder"),
    // For tests of libraries that are loaded at first use, and of the memory that files need at most.
    program("LazyCodecs", ["KingfisherFormats", "KingfisherCodecSupport"], path: "Tests/LazyCodecs"),
    program("WorstCase", ["KingfisherFormats", "Kingfisher"], path: "Tests/WorstCase"),
    program("PixelDigests", ["KingfisherFormats", "Kingfisher", "CXXHash"], path: "Tests/PixelDigests"),
    tests(
        "KingfisherIsolationTests",
        [
            "KingfisherIsolation", "KingfisherImage", "CSandbox", "KingfisherFormats", "HostileDecoder",
            "kingfisher-decoder",
        ]),
]

let cGtk = system("CGtk", "gtk4", "libgtk-4-dev")
let gtk: [Target] = [
    swift("KingfisherGTK", ["Kingfisher", "CGtk"]),
    .target(name: "CGLibMainHook", dependencies: ["CGtk"], path: "Tests/CGLibMainHook"),
    program("WindowProgram", ["KingfisherGTK", "CGtk"], path: "Tests/WindowProgram"),
    with(
        formats.filter { $0.name == "WebP" },
        tests("KingfisherGTKTests", ["KingfisherGTK", "CGtk", "CGLibMainHook", "CLinux"])),
]

/// Packages that are resolved only if the trait `SharedCache` is enabled.
let sharedCacheDependencies: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
]

func nio(_ name: String, _ package: String = "swift-nio") -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["SharedCache"]))
}

let sharedCache: [Target] = [
    // Without the trait it has the tier and the protocol, but no client on SwiftNIO.
    swift(
        "KingfisherSharedCache",
        [
            "Kingfisher", "KingfisherDigests", "KingfisherStorage", nio("NIOCore"), nio("NIOPosix"),
            nio("NIOSSL", "swift-nio-ssl"),
        ]),
    tests("KingfisherSharedCacheTests", ["KingfisherSharedCache", "Kingfisher"]),
    swift(
        "FleetSimulation",
        ["Kingfisher", "KingfisherSharedCache", "KingfisherStorage", "KingfisherTestSupport"],
        path: "Tests/FleetSimulation"),
    program("Simulate", ["FleetSimulation"], path: "Tests/Simulate"),
    tests("FleetSimulationTests", ["FleetSimulation", "KingfisherSharedCache"]),
]

let withGTK = !without.contains("GTK")
let libraries =
    [
        "Kingfisher", "KingfisherService", "KingfisherCodecSupport", "KingfisherTestSupport",
        "KingfisherSharedCache", "KingfisherIsolation", "KingfisherFormats", "KingfisherVideo",
    ] + formats.map(\.product) + (withGTK ? ["KingfisherGTK"] : [])

let targets =
    folder("System", systemLibraries + (withGTK ? [cGtk] : [])) + folder("Engines", engines)
    + folder("Core", core) + folder("Formats", codecs) + folder("Services", sharedCache + isolation + video)
    + folder("Toolkits", withGTK ? gtk : [])

/// The Swift libraries of this package that a target imports, directly or through others.
@MainActor func libraries(below target: Target) -> Set<String> {
    target.dependencies.reduce(into: []) { names, dependency in
        guard case .byNameItem(let name, _) = dependency, let next = targets.first(where: { $0.name == name })
        else { return }
        if next.type == .regular, next.swiftSettings != nil { names.insert(name) }
        names.formUnion(libraries(below: next))
    }
}

// SwiftPM compiles a target again if the module file of a target that it names has changed. The layout of a
// type changes the file of its own module, but not of the modules in between, so that a target that does not
// name it would keep the earlier layout, and crash. Products have these targets for the same reason.
for (target, names) in targets.map({ ($0, libraries(below: $0)) }) {
    let missing = names.filter { name in
        !target.dependencies.contains { if case .byNameItem(name, _) = $0 { true } else { false } }
    }
    target.dependencies += missing.sorted().map { .byName(name: $0) }
}

let package = Package(
    name: "Kingfisher",
    products: libraries.map { name in
        let below = targets.first { $0.name == name }.map(libraries(below:)) ?? []
        return .library(name: name, targets: [name] + below.sorted())
    } + [.executable(name: "kingfisher-decoder", targets: ["kingfisher-decoder"])],
    traits: [
        .trait(
            name: "SharedCache",
            description: "KingfisherSharedCache's client for Redis and Valkey, on SwiftNIO and NIOSSL")
    ],
    dependencies: sharedCacheDependencies,
    targets: targets,
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
