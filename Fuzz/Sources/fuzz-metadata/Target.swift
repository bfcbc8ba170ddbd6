import Foundation
import FuzzHarness
@testable import KingfisherImage

/// EXIF and ICC profiles, alone and in files of each format.
///
/// An input that contains `Exif\0\0`, for example a complete JPEG, is read from there.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let given = Data(UnsafeBufferPointer(start: bytes, count: count))
    let prefix = Data("Exif\0\0".utf8)
    let data = given.range(of: prefix).map { Data(given[$0.upperBound...]) } ?? given
    readTIFF(data)
    if data.count > 128 { readProfile(data) }
    for file in [
        Carrier.jpeg(exif: data), Carrier.jpeg(profile: data), repaired(png: Carrier.png(profile: data)),
        repaired(png: Carrier.png(chunk: "eXIf", data)),
        repaired(png: Carrier.png(chunk: "tEXt", Data("Raw profile type exif\0".utf8) + data)),
        repaired(png: Carrier.png(chunk: "zTXt", Data("Raw profile type exif\0\0".utf8) + data)),
        repaired(png: Carrier.png(chunk: "iTXt", Data("XML:com.adobe.xmp\0\0\0\0\0".utf8) + data)),
    ] {
        exercise(file, with: ImageCodecs.codec(for: file) ?? registeredCodec(for: .JPEG))
    }
    return 0
}

private func readTIFF(_ data: Data) {
    data.withUnsafeBytes { bytes in
        let reader = ByteReader(bytes)
        let orientation = EXIF.orientation(inTIFF: reader)
        // A chunk may start with this prefix, a TIFF file may not.
        precondition(
            reader.has("Exif\0\0", at: 0) || orientation == EXIF.orientation(inChunk: reader),
            "two orientations")
    }
    (Data("Exif\0\0".utf8) + data).withUnsafeBytes { bytes in
        let thumbnail = EXIF.thumbnail(inAPP1: ByteReader(bytes))
        precondition(
            thumbnail.map { $0.count <= bytes.count } ?? true, "the thumbnail is outside of the metadata")
    }
}

private func readProfile(_ data: Data) {
    data.withUnsafeBytes { bytes in
        guard let transform = ICCTransform.toSRGB(from: ByteReader(bytes)) else { return }
        let pixels = try? PixelBuffer(width: 3, height: 2, format: .rgba8Straight, zeroed: true) { _, _ in }
        let converted = pixels.flatMap { try? transform.converted($0) }
        precondition(
            converted.map { $0.width == 3 && $0.height == 2 } ?? true, "a conversion that changed the size")
    }
}
