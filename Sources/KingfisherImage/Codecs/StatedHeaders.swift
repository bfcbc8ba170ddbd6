package import Foundation
import Synchronization

/// The headers that codecs in other processes have stated during one piece of work, for example a load.
///
/// Memory is reserved and targets are computed from a header, and the pixels must have its size. A codec in
/// another process is untrusted and may answer differently when it is asked again, so its first answer about
/// a file, also an error, is valid until the work ends. Files are retained until then, so that their
/// addresses identify them. Safe from any thread.
package final class StatedHeaders: Sendable {
    package typealias Answer = Result<ImageHeader, ImageCodecError>

    private struct Statement: Sendable {
        let file: Data
        let format: ImageFormat
        /// For callers that need the complete file, and for those that accept partial images.
        var complete: Answer?
        var partial: Answer?

        /// The answer that a caller gets without asking.
        func answer(acceptsPartialImages: Bool) -> Answer? {
            // A complete file has one header, and a file without a header has none at all.
            if acceptsPartialImages { return (try? complete?.get()).map { Answer.success($0) } ?? partial }
            if case .failure? = partial { return complete ?? partial }
            return complete
        }
    }

    private let statements = Mutex<[Statement]>([])

    package init() {}

    /// The statements of the current work; nil outside of it.
    @TaskLocal private static var current: StatedHeaders?

    /// Whether a codec in another process may exist. Without one, nothing is kept: every download would pay
    /// for it.
    private static let isNeeded = Atomic(false)

    /// Called before the first codec in another process is created.
    package static func require() { isNeeded.store(true, ordering: .relaxed) }

    /// Calls `body` on the caller's thread as a part of the current work, or as separate work.
    package static func run<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if !isNeeded.load(ordering: .relaxed) || current != nil { return try body() }
        return try StatedHeaders().run(body)
    }

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

    /// The header of `file` that a codec of `format` has stated in the current work. If there is none, `ask`
    /// is called with the header for other callers, which the result must equal.
    package static func header(
        of file: Data, by format: ImageFormat, acceptsPartialImages: Bool,
        ask: (_ other: ImageHeader?) throws(ImageCodecError) -> ImageHeader
    ) throws(ImageCodecError) -> ImageHeader {
        let known = current?.statement(of: file, by: format)
        if let answer = known?.answer(acceptsPartialImages: acceptsPartialImages) { return try answer.get() }
        let other = acceptsPartialImages ? known?.complete : known?.partial
        let answer = Answer { () throws(ImageCodecError) in try ask(try? other?.get()) }
        current?.note(answer, of: file, by: format, acceptsPartialImages: acceptsPartialImages)
        return try answer.get()
    }

    private func statement(of file: Data, by format: ImageFormat) -> Statement? {
        statements.withLock { $0.first { $0.format == format && $0.file.isSame(as: file) } }
    }

    private func note(_ answer: Answer, of file: Data, by format: ImageFormat, acceptsPartialImages: Bool) {
        statements.withLock { statements in
            let index = statements.firstIndex { $0.format == format && $0.file.isSame(as: file) }
            if index == nil { statements.append(Statement(file: file, format: format)) }
            let place = index ?? statements.endIndex - 1
            if acceptsPartialImages {
                statements[place].partial = statements[place].partial ?? answer
            } else {
                statements[place].complete = statements[place].complete ?? answer
            }
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
