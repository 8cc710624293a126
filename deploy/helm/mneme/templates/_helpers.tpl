{{- define "mneme.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (default .Chart.Name .Values.nameOverride) .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name (default .Chart.Name .Values.nameOverride) | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "mneme.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mneme.labels" -}}
{{ include "mneme.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "mneme.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}

{{- define "mneme.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "mneme.fullname" .) .Values.serviceAccount.name }}
{{- else }}{{ default "default" .Values.serviceAccount.name }}{{ end }}
{{- end }}

{{- define "mneme.consoleSecret" -}}
{{ include "mneme.fullname" . }}-console
{{- end }}

{{- define "mneme.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "mneme.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Where a container may write, its root being read-only. */}}
{{- define "mneme.writable" -}}
- name: MNEME_DATA
  value: /data
- name: MNEME_CACHE
  value: /scratch/cache
- name: TMPDIR
  value: /scratch
- name: HOME
  value: /scratch
- name: NICEGUI_STORAGE_PATH # the console's library; else below the working directory
  value: /scratch/nicegui
{{- end }}

{{- define "mneme.secretSettings" -}}
{{- range $name, $from := .Values.secretSettings }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: { name: {{ $from.secret }}, key: {{ $from.key }} }
{{- end }}
{{- end }}

{{/* Settings of one part alone; the environment of a container wins over its ConfigMap. */}}
{{- define "mneme.ownSettings" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* A change of a setting starts the pods again: settings are read once. */}}
{{- define "mneme.checksum" -}}
checksum/settings: {{ include (print .Template.BasePath "/configmap.yaml") . | sha256sum }}
{{- end }}
