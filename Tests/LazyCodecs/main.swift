import Foundation
import KingfisherCodecSupport

#if WITH_AVIF
    import KingfisherAVIF
#endif
#if WITH_HEIC
    import KingfisherHEIC
#endif
#if WITH_JPEGXL
    import KingfisherJPEGXL
#endif
#if WITH_SVG
    import KingfisherSVG
#endif
#if WITH_TIFF
    import KingfisherTIFF
#endif

// LazyCodecs NAME FILE: decodes the file with the codec of libNAME, and prints whether the library was in
// memory before and afterwards, and the result.

func isMapped(_ library: String) -> Bool {
    // Its length is 0 for functions that ask first.
    let maps = FileHandle(forReadingAtPath: "/proc/self/maps")?.readDataToEndOfFile() ?? Data()
    return String(decoding: maps, as: UTF8.self).contains("/lib\(library).so")
}

func codec(_ name: String) -> (any ImageCodec)? {
    #if WITH_AVIF
        if name == "avif" { return .avif }
    #endif
    #if WITH_HEIC
        if name == "heif" { return .heic }
    #endif
    #if WITH_JPEGXL
        if name == "jxl" { return .jpegXL }
    #endif
    #if WITH_SVG
        if name == "rsvg-2" { return .svg }
    #endif
    #if WITH_TIFF
        if name == "tiff" { return .tiff }
    #endif
    return nil
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let codec = codec(arguments[1]),
    let file = FileManager.default.contents(atPath: arguments[2])
else { exit(2) }
ImageCodecs.register(codec)
let found = ImageCodecs.codec(for: file)?.format.name ?? "nothing"
print("detected \(found), mapped \(isMapped(arguments[1]))")
do {
    let pixels = try codec.decode(file, minimumSize: nil)
    print("decoded \(pixels.size), mapped \(isMapped(arguments[1]))")
} catch {
    print("failed: \(error.localizedDescription), mapped \(isMapped(arguments[1]))")
}
