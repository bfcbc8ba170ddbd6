import Foundation

private struct ImageProcessorChain: CompositeImageProcessor {
    let first: any ImageProcessor
    let second: any ImageProcessor

    var identifier: String { "\(first.identifier)|>\(second.identifier)" }
    var stages: [any ImageProcessor] { first.stages + second.stages }

    func stages(decoding file: Data) -> [any ImageProcessor] {
        first.stages(decoding: file) + second.stages
    }

    func decodesFile(_ file: Data) -> Bool { first.decodesFile(file) }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard let image = first.process(item: item, options: options) else { return nil }
        return second.process(item: .image(image), options: options)
    }
}

extension ImageProcessor {
    /// Returns a processor that runs this one, then `another`. Its identifier joins both with `|>`.
    public func append(another: any ImageProcessor) -> any ImageProcessor {
        ImageProcessorChain(first: self, second: another)
    }
}

infix operator |> : AdditionPrecedence

/// Returns a processor that runs `left`, then `right`.
public func |> (left: any ImageProcessor, right: any ImageProcessor) -> any ImageProcessor {
    left.append(another: right)
}
