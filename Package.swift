// swift-tools-version: 6.3
import Foundation
import PackageDescription

/// Products to leave out, for example if their system libraries are missing:
/// `KINGFISHER_WITHOUT=GTK,WebP swift build`. The names below are the others.
let without = Set(
    (ProcessInfo.processInfo.environment["KINGFISHER_WITHOUT"] ?? "").uppercased().split(separator: ",").map(
        String.init))
let withGTK = !without.contains("GTK")
let withWebP = !without.contains("WEBP")
let withBMP = !without.contains("BMP")
let withPNM = !without.contains("PNM")
let withAVIF = !without.contains("AVIF")
let withJPEGXL = !without.contains("JPEGXL")
let withSVG = !without.contains("SVG")
let withHEIC = !without.contains("HEIC")
let withTIFF = !without.contains("TIFF")

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

func system(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

func swift(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], defining defines: [SwiftSetting] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["KingfisherTestSupport", "TestHelpers"],
        swiftSettings: settings + defines)
}

let foundations: [Target] = [
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
    .target(name: "CKernels"),
    .target(name: "CLibraryLoader"),
    .target(name: "CMapping"),
    .target(name: "CJPEG", dependencies: ["CSystemJPEG"]),
]

let library: [Target] = [
    swift("KingfisherImage", ["CKernels", "CJPEG", "CISAL", "CSPNG", "CLCMS", "CLinux"]),
    swift("KingfisherCodecSupport", ["KingfisherImage"]),
    swift("KingfisherISOBoxes", ["KingfisherCodecSupport"]),
    swift("KingfisherConcurrency", []),
    swift("KingfisherDigests", ["CCrypto"]),
    swift(
        "KingfisherStorage", ["KingfisherConcurrency", "KingfisherDigests", "CLinux", "CMapping", "CXXHash"]),
    swift(
        "KingfisherTransport", ["KingfisherConcurrency", "KingfisherDigests", "CCrypto", "CCurl", "CZlib"]),
    swift("KingfisherSteps", []),
    swift(
        "Kingfisher",
        [
            "KingfisherConcurrency", "KingfisherDigests", "KingfisherImage", "KingfisherSteps",
            "KingfisherStorage", "KingfisherTransport",
        ]),
    swift("KingfisherTestSupport", ["Kingfisher", "CZlib", "CSSL"], resources: [.copy("Fixtures")]),
    .target(
        name: "CKernelsCross", dependencies: ["CKernels"], path: "Tests/CKernelsCross", exclude: ["main.c"]),
    .target(
        name: "TestHelpers", dependencies: ["KingfisherTestSupport", "KingfisherImage"],
        path: "Tests/TestHelpers",
        swiftSettings: settings),
    .target(name: "JPEGWriter", dependencies: ["CSystemJPEG"], path: "Tests/JPEGWriter"),
    tests("KingfisherImageTests", ["KingfisherImage", "CKernels", "CKernelsCross", "JPEGWriter"]),
    .executableTarget(
        name: "CacheWorker", dependencies: ["KingfisherStorage"], path: "Tests/CacheWorker",
        swiftSettings: settings),
    .testTarget(name: "KingfisherStepsTests", dependencies: ["KingfisherSteps"], swiftSettings: settings),
    tests("KingfisherStorageTests", ["KingfisherStorage", "CacheWorker", "CLinux"]),
    tests("KingfisherTransportTests", ["KingfisherTransport", "CCurl", "CLinux", "CZlib"]),
    tests("KingfisherConcurrencyTests", ["KingfisherConcurrency"]),
    tests("KingfisherTests", ["Kingfisher"]),
    // Without upcoming features, like a new package of a user.
    .testTarget(
        name: "CompatibilityTests", dependencies: ["Kingfisher", "KingfisherTestSupport", "TestHelpers"]),
]

/// The formats of `WorstCase` besides WebP and those of the core.
let worstFormats = ["HEIC", "SVG", "TIFF"].filter { !without.contains($0) }

let webP: [Target] = [
    system("CWebP", "libwebp", "libwebp-dev"),
    swift("KingfisherWebP", ["Kingfisher", "KingfisherCodecSupport", "CWebP"]),
    tests("KingfisherWebPTests", ["KingfisherWebP", "CWebP"]),
    .executableTarget(
        name: "WorstCase",
        dependencies: ["KingfisherWebP"] + worstFormats.map { .byName(name: "Kingfisher\($0)") },
        path: "Tests/WorstCase", swiftSettings: settings + worstFormats.map { .define("WITH_\($0)") }),
]

let bmp: [Target] = [
    swift("KingfisherBMP", ["KingfisherCodecSupport"]),
    tests("KingfisherBMPTests", ["KingfisherBMP", "Kingfisher"]),
]

let pnm: [Target] = [
    swift("KingfisherPNM", ["KingfisherCodecSupport"]),
    tests("KingfisherPNMTests", ["KingfisherPNM", "Kingfisher"]),
]

let avif: [Target] = [
    // The headers of libavif-dev; the library is loaded at first use.
    .target(name: "CAVIF", dependencies: ["CLibraryLoader"]),
    swift("KingfisherAVIF", ["KingfisherCodecSupport", "KingfisherISOBoxes", "CAVIF"]),
    tests("KingfisherAVIFTests", ["KingfisherAVIF", "KingfisherCodecSupport", "LazyCodecs"]),
]

let jpegXL: [Target] = [
    // The headers of libjxl-dev; the library is loaded at first use.
    .target(name: "CJPEGXL", dependencies: ["CLibraryLoader"]),
    swift("KingfisherJPEGXL", ["KingfisherCodecSupport", "CJPEGXL"]),
    tests(
        "KingfisherJPEGXLTests", ["KingfisherJPEGXL", "KingfisherCodecSupport", "CJPEGXL", "LazyCodecs"]),
]

let svg: [Target] = [
    // librsvg is loaded at first use; its functions are declared there.
    .target(name: "CRSVG", dependencies: ["CLibraryLoader"]),
    swift("KingfisherSVG", ["KingfisherCodecSupport", "CRSVG", "CZlib"]),
    tests("KingfisherSVGTests", ["KingfisherSVG", "KingfisherCodecSupport", "LazyCodecs"]),
]

let heic: [Target] = [
    // The headers of libheif-dev and libde265-dev; the libraries are loaded at first use.
    .target(name: "CHEIF", dependencies: ["CLibraryLoader"]),
    swift("KingfisherHEIC", ["KingfisherCodecSupport", "KingfisherISOBoxes", "CHEIF"]),
    tests("KingfisherHEICTests", ["KingfisherHEIC", "KingfisherCodecSupport", "LazyCodecs"]),
]

let tiff: [Target] = [
    // The headers of libtiff-dev; the library is loaded at first use.
    .target(name: "CTIFF", dependencies: ["CLibraryLoader"]),
    swift("KingfisherTIFF", ["KingfisherCodecSupport", "CTIFF"]),
    tests("KingfisherTIFFTests", ["KingfisherTIFF", "KingfisherCodecSupport", "LazyCodecs"]),
]

/// A program for tests of libraries that are loaded at first use.
let lazyFormats = ["AVIF", "JPEGXL", "HEIC", "SVG", "TIFF"].filter { !without.contains($0) }
let lazyCodecs: Target = .executableTarget(
    name: "LazyCodecs", dependencies: lazyFormats.map { .byName(name: "Kingfisher\($0)") },
    path: "Tests/LazyCodecs", swiftSettings: settings + lazyFormats.map { .define("WITH_\($0)") })

/// The formats that `kingfisher-decoder` has besides those of the core.
let decoderFormats = ["WebP", "AVIF", "JPEGXL", "HEIC", "SVG", "TIFF", "BMP", "PNM"].filter {
    !without.contains($0.uppercased())
}
let decoderSettings = decoderFormats.map { SwiftSetting.define("WITH_\($0.uppercased())") }

let isolation: [Target] = [
    // System calls of the sandbox; no library.
    .target(name: "CSandbox"),
    swift("KingfisherIsolation", ["Kingfisher", "KingfisherImage", "KingfisherDigests", "CSandbox"]),
    .target(
        name: "DecoderFormats",
        dependencies: ["KingfisherIsolation", "KingfisherImage"]
            + decoderFormats.map { .target(name: "Kingfisher\($0)") },
        swiftSettings: settings + decoderSettings),
    .executableTarget(
        name: "kingfisher-decoder", dependencies: ["DecoderFormats", "KingfisherIsolation"],
        swiftSettings: settings),
    .target(name: "CHostile", path: "Tests/CHostile"),
    .executableTarget(
        name: "HostileDecoder",
        dependencies: ["CHostile", "DecoderFormats", "KingfisherIsolation", "KingfisherImage"],
        path: "Tests/HostileDecoder", swiftSettings: settings),
    tests(
        "KingfisherIsolationTests",
        [
            "KingfisherIsolation", "KingfisherImage", "CSandbox", "DecoderFormats", "HostileDecoder",
            "kingfisher-decoder",
        ]),
]

let gtk: [Target] = [
    system("CGtk", "gtk4", "libgtk-4-dev"),
    swift("KingfisherGTK", ["Kingfisher", "CGtk"]),
    .target(name: "CGLibMainHook", dependencies: ["CGtk"], path: "Tests/CGLibMainHook"),
    .executableTarget(
        name: "WindowProgram", dependencies: ["KingfisherGTK", "CGtk"], path: "Tests/WindowProgram",
        swiftSettings: settings),
    tests(
        "KingfisherGTKTests",
        ["KingfisherGTK", "CGtk", "CGLibMainHook", "CLinux"] + (withWebP ? ["KingfisherWebP"] : []),
        defining: withWebP ? [.define("WITH_WEBP")] : []),
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
    .target(
        name: "FleetSimulation",
        dependencies: ["Kingfisher", "KingfisherSharedCache", "KingfisherStorage", "KingfisherTestSupport"],
        path: "Tests/FleetSimulation", swiftSettings: settings),
    .executableTarget(
        name: "Simulate", dependencies: ["FleetSimulation"], path: "Tests/Simulate", swiftSettings: settings),
    tests("FleetSimulationTests", ["FleetSimulation", "KingfisherSharedCache"]),
]

let package = Package(
    name: "Kingfisher",
    products: [
        .library(name: "Kingfisher", targets: ["Kingfisher"]),
        .library(name: "KingfisherCodecSupport", targets: ["KingfisherCodecSupport"]),
        .library(name: "KingfisherSteps", targets: ["KingfisherSteps"]),
        .library(name: "KingfisherTestSupport", targets: ["KingfisherTestSupport"]),
        .library(name: "KingfisherSharedCache", targets: ["KingfisherSharedCache"]),
        .library(name: "KingfisherIsolation", targets: ["KingfisherIsolation"]),
        .executable(name: "kingfisher-decoder", targets: ["kingfisher-decoder"]),
    ] + (withWebP ? [.library(name: "KingfisherWebP", targets: ["KingfisherWebP"])] : [])
        + (withBMP ? [.library(name: "KingfisherBMP", targets: ["KingfisherBMP"])] : [])
        + (withPNM ? [.library(name: "KingfisherPNM", targets: ["KingfisherPNM"])] : [])
        + (withAVIF ? [.library(name: "KingfisherAVIF", targets: ["KingfisherAVIF"])] : [])
        + (withJPEGXL ? [.library(name: "KingfisherJPEGXL", targets: ["KingfisherJPEGXL"])] : [])
        + (withSVG ? [.library(name: "KingfisherSVG", targets: ["KingfisherSVG"])] : [])
        + (withHEIC ? [.library(name: "KingfisherHEIC", targets: ["KingfisherHEIC"])] : [])
        + (withTIFF ? [.library(name: "KingfisherTIFF", targets: ["KingfisherTIFF"])] : [])
        + (withGTK ? [.library(name: "KingfisherGTK", targets: ["KingfisherGTK"])] : []),
    traits: [
        .trait(
            name: "SharedCache",
            description: "KingfisherSharedCache's client for Redis and Valkey, on SwiftNIO and NIOSSL")
    ],
    dependencies: sharedCacheDependencies,
    targets: foundations + library + sharedCache + isolation + (withWebP ? webP : []) + (withBMP ? bmp : [])
        + (withPNM ? pnm : [])
        + (withAVIF ? avif : []) + (withJPEGXL ? jpegXL : []) + (withSVG ? svg : [])
        + (withHEIC ? heic : []) + (withTIFF ? tiff : [])
        + (lazyFormats.isEmpty ? [] : [lazyCodecs]) + (withGTK ? gtk : []),
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
