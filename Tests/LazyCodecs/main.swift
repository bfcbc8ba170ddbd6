import Foundation
import KingfisherCodecSupport
import KingfisherFormats

// LazyCodecs NAME FILE: decodes the file with the codec of its format, and prints whether libNAME was in
// memory before and afterwards, and the result.

func isMapped(_ library: String) -> Bool {
    // Its length is 0 for functions that ask first.
    let maps = FileHandle(forReadingAtPath: "/proc/self/maps")?.readDataToEndOfFile() ?? Data()
    return String(decoding: maps, as: UTF8.self).contains("/lib\(library).so")
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let file = FileManager.default.contents(atPath: arguments[2]) else { exit(2) }
ImageCodecs.registerAll()
let codec = ImageCodecs.codec(for: file)
print("detected \(codec?.format.name ?? "nothing"), mapped \(isMapped(arguments[1]))")
guard let codec else { exit(2) }
do {
    let pixels = try codec.open(EncodedFile(file)).decode(.full)
    print("decoded \(pixels.size), mapped \(isMapped(arguments[1]))")
} catch {
    print("failed: \(error.localizedDescription), mapped \(isMapped(arguments[1]))")
}
