import CJPEG
import CKernels
import Foundation

@testable import KingfisherImage

/// Compares this package's JPEG decoders with libjpeg, which has the verdict and, at an eighth and full size,
/// the pixels, one stream with four, and parts with the whole image.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let reader = ByteReader(UnsafeRawBufferPointer(start: bytes, count: count))
    guard let frame = try? JPEGFrameHeader(scanning: reader), [1, 3].contains(frame.components),
        frame.size.area <= 1 << 20, !frame.size.isEmpty
    else { return 0 }
    for eighths in [1, 2, 4, 8] { compareBaseline(reader, frame, JPEGScale(eighths: eighths)) }
    compareParts(reader)
    if let coarse = JPEGCoarseFile(reader, frame: frame, maximumScans: 50)?.bytes(of: reader) {
        coarse.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes), scale = JPEGScale(eighths: 1)
            guard let decoder = JPEGCoarseDecoder(reader, frame: frame),
                let own = pixels(frame, scale, decoder.decode)
            else { return }
            precondition(own == libjpeg(reader, frame, scale), "DC scans differ from libjpeg's")
        }
    }
    return 0
}

private func compareBaseline(_ reader: ByteReader, _ frame: JPEGFrameHeader, _ scale: JPEGScale) {
    guard var decoder = JPEGBaselineDecoder(reader, frame: frame, scale: scale) else { return }
    decoder.hasThread = false
    decoder.sectionBytes = 30_000
    let interleaved = pixels(frame, scale, decoder.decode)
    decoder.streams = 1
    let serial = pixels(frame, scale, decoder.decode)
    precondition(interleaved == serial, "four streams differ from one")
    guard let interleaved else { return }
    precondition(interleaved == rowsInWindows(decoder), "rows of a filter differ from the image")
    let expected = libjpeg(reader, frame, scale)
    precondition(expected != nil, "a file that libjpeg refuses")
    precondition([2, 4].contains(scale.eighths) || expected == interleaved, "pixels differ from libjpeg's")
}

/// Compares parts with the whole image, and decodes them after the data have changed.
private func compareParts(_ reader: ByteReader) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(reader.count, 64), alignment: 16)
    defer { bytes.deallocate() }
    bytes.copyBytes(from: reader.bytes)
    guard let start = bytes.baseAddress else { return }
    let data = Data(bytesNoCopy: start, count: reader.count, deallocator: .none)
    guard data.count >= 64, let regions = try? JPEGCodec().regions(of: EncodedFile(data)) else { return }
    var areas: [(PixelArea, Int)] = []
    for level in 0...regions.deepestLevel {
        guard let whole = try? regions.whole(level: level) else { return }
        let (x, y) = (whole.width / 3, whole.height / 4)
        let size = PixelSize(width: (whole.width - x + 1) / 2, height: (whole.height - y + 1) / 2)
        areas.append((PixelArea(x: x, y: y, size: size), level))
        let expected = try? whole.cropped(x: x, y: y, width: size.width, height: size.height)
        let found = try? regions.part(PixelArea(x: x, y: y, size: size), level: level)
        precondition(found.map(packed) == expected.map(packed), "a part differs from the whole image")
    }
    for index in stride(from: reader.count / 2, to: reader.count, by: 5) {
        bytes[index] ^= UInt8(index & 255)
    }
    for (area, level) in areas { _ = try? regions.part(area, level: level) }
}

private func packed(_ pixels: PixelBuffer) -> [UInt8] {
    pixels.withUnsafeBytes { bytes in
        (0..<pixels.height).flatMap { y in
            let start = y * pixels.bytesPerRow
            return Array(bytes[start..<start + pixels.width * pixels.format.bytesPerPixel])
        }
    }
}

/// The rows as a filter reads them: seven at a time, three of them again.
private func rowsInWindows(_ decoder: JPEGBaselineDecoder) -> [UInt8]? {
    guard let rows = JPEGRows(decoder, window: 7) else { return nil }
    let size = rows.size
    var result: [UInt8] = []
    for first in stride(from: 0, to: size.height, by: 4) {
        let window = max(0, first - 3)..<min(first + 4, size.height)
        for row in rows.rows(window).suffix(window.upperBound - first) {
            result += UnsafeBufferPointer(start: row, count: size.width * rows.format.bytesPerPixel)
        }
    }
    return rows.draw(upTo: size.height) ? result : nil
}

/// The rows that `decode` writes; nil if it returns false.
private func pixels(
    _ frame: JPEGFrameHeader, _ scale: JPEGScale, _ decode: (kf_jpeg_output) -> Bool
) -> [UInt8]? {
    let size = scale.applied(to: frame.size)
    let bytesPerRow = size.width * (frame.components == 1 ? 1 : 4)
    var isDecoded = false
    let rows = [UInt8](unsafeUninitializedCapacity: bytesPerRow * size.height) { rows, count in
        count = bytesPerRow * size.height
        guard let start = rows.baseAddress else { return }
        isDecoded = decode(
            kf_jpeg_output(
                rows: start, bytes_per_row: bytesPerRow, row_count: UInt32(size.height),
                width: UInt32(size.width), height: UInt32(size.height)))
    }
    return isDecoded ? rows : nil
}

private func libjpeg(_ reader: ByteReader, _ frame: JPEGFrameHeader, _ scale: JPEGScale) -> [UInt8]? {
    pixels(frame, scale) { image in
        let target = kf_jpeg_image(
            rows: image.rows, bytes_per_row: image.bytes_per_row, width: image.width, height: image.height,
            samples: frame.components == 1 ? KF_JPEG_GRAY : KF_JPEG_RGBA)
        let limits = kf_jpeg_limits(memory: 1 << 28, scans: 50, accepts_part: false)
        var message = [CChar](repeating: 0, count: Int(KF_JPEG_MESSAGE_LENGTH))
        return kf_jpeg_decode(
            reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count, Int32(scale.eighths), limits,
            target, &message) == KF_JPEG_OK
    }
}
