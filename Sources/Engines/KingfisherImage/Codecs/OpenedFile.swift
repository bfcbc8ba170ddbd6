package import Foundation
import Synchronization

/// A file, and the decoder that its codec has opened.
package struct OpenedFile: Sendable {
    package let codec: any ImageCodec
    package let decoder: any ImageDecoder
    package let data: Data

    /// Opens `data` by `codec`, placed where the current context says.
    package init(
        _ data: Data, by codec: any ImageCodec, acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) {
        self.codec = ImageCodecs.placed(codec)
        self.data = data
        decoder = try self.codec.open(EncodedFile(data, acceptsPartialImages: acceptsPartialImages))
    }

    package var header: ImageHeader { decoder.header }
}

/// One piece of work, for example a load, during which each file is opened once for each context; once more
/// if some callers accept partial images and others do not.
///
/// Memory is reserved and targets are computed from a header, and the pixels must have its size. A codec in
/// another process is untrusted and may answer differently when it is asked again, so what it has stated
/// about a file, also an error, is valid until the work ends. Files are retained until then, so that their
/// addresses identify them. Safe from any thread.
package final class DecodingWork: Sendable {
    private typealias Answer = Result<OpenedFile, ImageCodecError>

    private struct Opening: Sendable {
        let file: Data
        let acceptsPartialImages: Bool
        /// Callers that share a download may have different formats and limits.
        let context = DecodingContext.current
        let answer: Answer

        func fits(_ data: Data, acceptsPartialImages: Bool) -> Bool {
            self.acceptsPartialImages == acceptsPartialImages && context === DecodingContext.current
                && file.isSame(as: data)
        }
    }

    /// Nil after the end.
    private let openings = Mutex<[Opening]?>([])

    package init() {}

    /// The current work; nil outside of any.
    @TaskLocal private static var current: DecodingWork?

    /// Calls `body` on the caller's thread as a part of the current work, or as separate work.
    package static func run<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if let current, !current.isOver { return try body() }
        let work = DecodingWork()
        defer { work.end() }
        return try work.run(body)
    }

    private var isOver: Bool { openings.withLock { $0 == nil } }

    /// Releases the files. A task that was started during the work inherits it, and opens files without it
    /// from now on.
    package func end() { openings.withLock { $0 = nil } }

    /// Calls `body` on the caller's thread as a part of this work.
    package func run<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result = Self.$current.withValue(self) { () -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// The file, opened by the codec that recognizes it, now or earlier in the current work.
    fileprivate static func open(
        _ data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> OpenedFile {
        if let known = current?.answer(for: data, acceptsPartialImages: acceptsPartialImages) {
            return try known.get()
        }
        let answer = Answer { () throws(ImageCodecError) in
            guard let codec = ImageCodecs.registeredCodec(for: data) else { throw .unknownFormat }
            return try OpenedFile(data, by: codec, acceptsPartialImages: acceptsPartialImages)
        }
        current?.openings.withLock {
            $0?.append(Opening(file: data, acceptsPartialImages: acceptsPartialImages, answer: answer))
        }
        return try answer.get()
    }

    private func answer(for data: Data, acceptsPartialImages: Bool) -> Answer? {
        openings.withLock { openings in
            openings?.first { $0.fits(data, acceptsPartialImages: acceptsPartialImages) }?.answer
        }
    }
}

extension ImageCodecs {
    /// Opens a file by the codec that recognizes it; in a `DecodingWork`, once.
    package static func open(
        _ data: Data, acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> OpenedFile {
        try DecodingWork.open(data, acceptsPartialImages: acceptsPartialImages)
    }

    /// Whether the image of `data` may lack rows.
    package static func endsEarly(_ data: Data) -> Bool {
        do throws(ImageCodecError) {
            return try open(data, acceptsPartialImages: true).decoder.endsEarly
        } catch {
            return error == .truncated
        }
    }
}

extension Data {
    /// Whether the bytes are at the same address. Small values have none, so their bytes are compared.
    fileprivate func isSame(as other: Data) -> Bool {
        guard count == other.count else { return false }
        if count < 64 { return self == other }
        return withUnsafeBytes { bytes in
            other.withUnsafeBytes { $0.baseAddress == bytes.baseAddress }
        }
    }
}
