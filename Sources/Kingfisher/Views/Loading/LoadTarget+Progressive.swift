import KingfisherImage

extension LoadTarget {
    /// What shows a progressive JPEG in this place while `load` downloads it; `options` are those of the
    /// download.
    func previews(
        of load: ViewLoad, as progressive: ImageProgressive, options: KingfisherParsedOptionsInfo
    ) -> ProgressivePreviews {
        let current = current
        return ProgressivePreviews(
            progressive, options: options, box: fittedView?.pixelBox, renderer: renderer,
            isWanted: { current.isCurrent(load.identifier) },
            display: { image in
                show(image, of: load, as: progressive)
                return fittedView?.pixelBox
            })
    }

    /// Shows an image of what is there so far, or what the caller wants in its place.
    private func show(_ image: Image, of load: ViewLoad, as progressive: ImageProgressive) {
        let strategy = progressive.onImageUpdated(image) ?? .default
        // Who was asked may have cancelled the load, or begun another.
        guard current.isCurrent(load.identifier) else { return }
        switch strategy {
        case .default: showSubstitute(image, options: load.options)
        case .keepCurrent: break
        case .replace(let other): showSubstitute(other, options: load.options)
        }
    }
}
