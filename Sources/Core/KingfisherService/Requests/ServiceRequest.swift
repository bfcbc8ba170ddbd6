import Foundation
public import Kingfisher

/// What a URL of the image service asks for: a source, processing steps and options.
///
/// A pure value: reading a URL opens no file and no connection. ``ServiceURLs/request(path:query:now:)``
/// makes it, after the signature is verified.
public struct ServiceRequest: Hashable, Sendable {
    /// What the response contains.
    public enum Kind: Hashable, Sendable {
        /// The processed image.
        case image
        /// Facts about the source as JSON.
        case information
    }

    /// A processing step, and its text without percent-encoding, such as `fit:300x200`. Steps are equal if
    /// the bytes of their texts are.
    public struct Step: Hashable, Sendable {
        /// The text, not percent-encoded.
        public let text: String
        /// What the text says.
        public let step: ProcessingStep

        /// Parses a step; `text` is not percent-encoded.
        public init(_ text: String) throws(ProcessingStepError) {
            self.text = text
            step = try ProcessingStep(text)
        }

        /// The size that the step asks for, in pixels, where a side of 0 is free; nil if it asks for none.
        var size: CGSize? { step.size }

        public static func == (one: Step, other: Step) -> Bool { ByteText.areEqual(one.text, other.text) }

        public func hash(into hasher: inout Hasher) { hasher.combine(BytewiseString(text)) }
    }

    /// What the response contains.
    public var kind: Kind
    /// The steps in order, with presets replaced by their steps.
    public var steps: [Step]
    /// The options of the URL, completed by its presets.
    public var options: ServiceOptions
    /// Where the image is.
    public var source: ServiceSource
    /// Whether a request without a format gets one by its `Accept` field. Otherwise it gets the format of the
    /// source, or JPEG or PNG if that cannot be written. False for URLs of other services unless the settings
    /// allow it.
    public var isNegotiable: Bool

    /// Creates a request for the source as it is.
    public init(
        kind: Kind = .image, steps: [Step] = [], options: ServiceOptions = ServiceOptions(),
        source: ServiceSource, isNegotiable: Bool = true
    ) {
        self.kind = kind
        self.steps = steps
        self.options = options
        self.source = source
        self.isNegotiable = isNegotiable
    }
}
