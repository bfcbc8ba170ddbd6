import KingfisherImage

extension LoadTarget {
    func previews(
        of load: ViewLoad, as progressive: ImageProgressive, options: KingfisherParsedOptionsInfo
    ) -> ProgressivePreviews {
        let (current, reference) = (current, reference)
        return ProgressivePreviews(
            progressive, options: options, target: fittedView?.pixelBox?.target, on: .mainAsync,
            isWanted: { current.isCurrent(load.identifier) },
            prepare: { [weak renderer = renderer] in renderer?.prepare($0) },
            display: { image in
                MainActor.assumeIsolated {
                    guard let target = reference() else { return nil }
                    target.show(image, of: load, as: progressive)
                    return target.fittedView?.pixelBox?.target
                }
            })
    }

    private func show(_ image: Image, of load: ViewLoad, as progressive: ImageProgressive) {
        let strategy = progressive.onImageUpdated(image) ?? .default
        // The caller's closure may have cancelled the load or started another.
        guard current.isCurrent(load.identifier) else { return }
        switch strategy {
        case .default: showPreview(image, of: load)
        case .keepCurrent: break
        case .replace(let other): showPreview(other, of: load)
        }
    }

    private func showPreview(_ image: Image?, of load: ViewLoad) {
        // The smaller image of `.lowResolution` must not replace it.
        current.endCompanion()
        showSubstitute(image, options: load.options)
    }
}
