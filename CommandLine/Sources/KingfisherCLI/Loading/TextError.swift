import Kingfisher

/// Text cannot be drawn on this machine.
struct TextError: Error, Hashable {
    let message: String

    /// Throws if a letter cannot be drawn, before images are loaded in vain.
    static func check(_ remedy: String = "") throws(TextError) {
        guard let fault = TextImageProcessor.fault else { return }
        throw TextError(message: "text cannot be drawn: \(fault)\(remedy)")
    }
}
