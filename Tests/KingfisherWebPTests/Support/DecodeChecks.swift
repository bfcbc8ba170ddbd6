import Foundation
import KingfisherWebP
import TestHelpers
import Testing

/// Decodes any bytes with every decoder.
enum DecodeChecks {
    /// Of images above this number of pixels only the header is read, so that a thousand files take seconds.
    static let maximumDecodedPixels = 1 << 20

    /// Fails if a decoder returns an incomplete image, or if two decoders disagree; returns whether there was
    /// an image.
    @discardableResult
    static func check(_ data: Data, at location: SourceLocation = #_sourceLocation) -> Bool {
        let codec: any ImageCodec = WebPCodec()
        guard let header = try? codec.header(of: data) else {
            #expect(throws: ImageCodecError.self, sourceLocation: location) {
                try codec.decode(data, minimumSize: nil)
            }
            #expect((try? codec.frameSource(for: data)) == nil, sourceLocation: location)
            return false
        }
        guard header.size.area <= maximumDecodedPixels else { return false }
        let pixels = try? codec.decode(data, minimumSize: nil)
        #expect(pixels == nil || pixels?.size == header.displaySize, sourceLocation: location)
        #expect(pixels.map { !$0.format.isOpaque || $0.isEntirelyOpaque } != false, sourceLocation: location)
        let minimum = PixelSize(width: 5, height: 4)
        if let scaled = try? codec.decode(data, minimumSize: minimum) {
            let full = header.displaySize
            #expect(
                scaled.width >= min(5, full.width) && scaled.width <= full.width, sourceLocation: location)
            #expect(
                scaled.height >= min(4, full.height) && scaled.height <= full.height, sourceLocation: location
            )
        }
        if let source = try? codec.frameSource(for: data) {
            #expect(source.frameCount == header.frameCount, sourceLocation: location)
            for number in 0..<min(source.frameCount, 12) {
                let frame = source.frame(at: number)
                #expect(frame == nil || frame?.size == header.displaySize, sourceLocation: location)
            }
            _ = source.frame(at: 0)
        }
        return pixels != nil
    }

    /// Feeds the bytes to the incremental decoder in pieces. It must give a permanent error, rows of the size
    /// in the header, or the image of the codec.
    static func checkIncremental(
        _ data: Data, piece: Int, at location: SourceLocation = #_sourceLocation
    ) {
        let decoder = WebPIncrementalDecoder()
        do {
            for start in stride(from: 0, to: data.count, by: piece) {
                try decoder.append(data[start..<min(start + piece, data.count)])
                guard let header = decoder.header else { continue }
                guard header.size.area <= maximumDecodedPixels else { return }
                #expect(decoder.decodedRows <= header.size.height, sourceLocation: location)
            }
            guard let header = decoder.header else { return }
            let image = try #require(try decoder.image(), sourceLocation: location)
            guard decoder.isFinished else {
                #expect(image.size == header.size, sourceLocation: location)
                return
            }
            // Also applies to corrupt files: a finished image equals the codec's image.
            let whole = try? WebPCodec().decode(data, minimumSize: nil)
            #expect(whole.map(Raster.init) == Raster(image), sourceLocation: location)
        } catch {
            #expect(throws: ImageCodecError.self, sourceLocation: location) { try decoder.image() }
        }
    }
}
