public import Foundation

extension KFOptionSetter {
    /// Makes the image by `processor`, in place of all processors named before.
    public func setProcessor(_ processor: any ImageProcessor) -> Self {
        setting(\.processor, to: processor)
    }

    /// Makes the image by `processors`, one after the other, in place of all named before; `[]` decodes.
    public func setProcessors(_ processors: [any ImageProcessor]) -> Self {
        let chain = processors.dropFirst().reduce(processors.first) { chain, next in
            chain?.append(another: next)
        }
        return setProcessor(chain ?? DefaultImageProcessor.default)
    }

    /// Adds `processor` after those named before.
    ///
    /// One that follows the default processor only has `|>` before its identifier, and so in the cache key.
    public func appendProcessor(_ processor: any ImageProcessor) -> Self {
        setProcessor(options.givenProcessor.append(another: processor))
    }

    /// Applies the processors to every frame of an animation, instead of making a still of the first one.
    ///
    /// See `KingfisherOptionsInfoItem.processesAnimatedFrames`.
    public func processesAnimatedFrames(_ enabled: Bool = true) -> Self {
        setting(\.processesAnimatedFrames, to: enabled)
    }

    /// Shows the rows of a file that ends early, instead of failing; such an image stays in no cache.
    ///
    /// See `KingfisherOptionsInfoItem.acceptsPartialImages`.
    public func acceptsPartialImages(_ enabled: Bool = true) -> Self {
        setting(\.acceptsPartialImages, to: enabled)
    }

    /// Decodes on a background queue, which images always are.
    public func backgroundDecode(_ enabled: Bool = true) -> Self {
        setting(\.backgroundDecode, to: enabled)
    }

    /// Shows a progressive JPEG in a view as it arrives; nil for the whole image only.
    public func progressiveJPEG(_ progressive: ImageProgressive? = .init()) -> Self {
        setting(\.progressiveJPEG, to: progressive)
    }

    /// Where decoding and processing run; nil for a serial queue of the manager or downloader.
    public func processingQueue(_ queue: CallbackQueue?) -> Self {
        setting(\.processingQueue, to: queue)
    }
}

extension KFOptionSetter {
    /// Adds a `RoundCornerImageProcessor`; `targetSize` is in points.
    public func roundCorner(
        radius: Radius, targetSize: CGSize? = nil, roundingCorners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> Self {
        appendProcessor(
            RoundCornerImageProcessor(
                radius: radius, targetSize: targetSize, roundingCorners: roundingCorners,
                backgroundColor: backgroundColor))
    }

    /// Adds a `BlurImageProcessor`; `radius` is in pixels.
    public func blur(radius: CGFloat) -> Self {
        appendProcessor(BlurImageProcessor(blurRadius: radius))
    }

    /// Adds an `OverlayImageProcessor`; `fraction` of the image shows through, all of it at 1.
    public func overlay(color: KFCrossPlatformColor, fraction: CGFloat = 0.5) -> Self {
        appendProcessor(OverlayImageProcessor(overlay: color, fraction: fraction))
    }

    /// Adds a `TintImageProcessor`, which draws `color` over the image with the colour's alpha.
    public func tint(color: KFCrossPlatformColor) -> Self {
        appendProcessor(TintImageProcessor(tint: color))
    }

    /// Adds a `BlackWhiteProcessor`.
    public func blackWhite() -> Self {
        appendProcessor(BlackWhiteProcessor())
    }

    /// Adds a `CroppingImageProcessor`: `size` points around `anchor`, which is (1, 1) at the bottom right.
    public func cropping(size: CGSize, anchor: CGPoint = CGPoint(x: 0.5, y: 0.5)) -> Self {
        appendProcessor(CroppingImageProcessor(size: size, anchor: anchor))
    }

    /// Adds a `DownsamplingImageProcessor` to `size` points.
    ///
    /// As the first processor it takes the place of the default one, which would decode the file whole.
    public func downsampling(size: CGSize) -> Self {
        let processor = DownsamplingImageProcessor(size: size)
        return options.givenProcessor.identifier.isEmpty
            ? setProcessor(processor) : appendProcessor(processor)
    }

    /// Adds a `ResizingImageProcessor` to `referenceSize` points.
    public func resizing(referenceSize: CGSize, mode: ContentMode = .none) -> Self {
        appendProcessor(ResizingImageProcessor(referenceSize: referenceSize, mode: mode))
    }
}
