import Foundation
import FuzzHarness
import KingfisherWebP

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    exercise(data, with: WebPCodec())
    // libwebp's encoder takes as long as a hundred inputs.
    let others: [any ImageCodec] = [WebPCodec(), registeredCodec(for: .APNG), registeredCodec(for: .GIF)]
    rewrite(data, from: WebPCodec(), to: others[data.count % 16 == 0 ? 0 : 1 + data.count % 2])
    exerciseIncrementally(data)
    return 0
}

/// Feeds the bytes in pieces, whose length the last byte selects.
///
/// Results for corrupt bitstreams may differ from those of a complete decode: libwebp 1.2.4 resumes some with
/// other pixels, or completes one that is a byte too short. The test suite checks that valid files give equal
/// results.
private func exerciseIncrementally(_ data: Data) {
    let piece = 1 + Int(data.last ?? 0) * 4
    let decoder = WebPIncrementalDecoder()
    do {
        for start in stride(from: 0, to: data.count, by: piece) {
            try decoder.append(data[start..<min(start + piece, data.count)])
            if let header = decoder.header, header.size.area > fuzzedArea { return }
        }
        guard let header = decoder.header else { return }
        precondition(decoder.decodedRows <= header.size.height, "more rows than the image has")
        let image = try decoder.image()
        let size = decoder.isFinished ? header.displaySize : header.size
        precondition(image?.size == size, "the image size differs from the header")
    } catch {
        precondition((try? decoder.image()) == nil, "there is an image after an error")
    }
}
