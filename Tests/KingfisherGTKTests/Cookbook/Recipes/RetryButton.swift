import KingfisherGTK

@MainActor func photoWithRetry(_ url: URL) -> View {
    let view = ImageView()
    view.contentMode = .scaleAspectFit
    let retry = Button(title: "Try again")
    gtk_widget_set_halign(retry.widget, GTK_ALIGN_CENTER)
    let message = column(Label("The photo could not be loaded."), retry)
    message.placement = .center()
    message.isHidden = true
    view.addSubview(message)
    let load = { [weak view, weak message] in
        message?.isHidden = true
        view?.kf.indicatorType = .activity
        view?.kf.setImage(with: url) { result in
            if case .failure(let error) = result, !error.isTaskCancelled { message?.isHidden = false }
        }
    }
    retry.onClick = { load() }
    load()
    return view
}
